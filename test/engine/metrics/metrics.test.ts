import type { MetricMeter, MetricTags } from '@temporalio/common';
import { expect, test } from 'vitest';
import { METRICS, createMetrics, type MeasuredRun } from '../../../src/engine/metrics/metrics.js';

/** A meter that keeps values as Prometheus would: sums of counters, the last value of gauges. */
function meterInMemory() {
  const values = new Map<string, number>();
  const keyOf = (name: string, tags: MetricTags = {}): string =>
    `${name}${Object.entries(tags)
      .map(([label, value]) => ` ${label}=${value}`)
      .sort()
      .join('')}`;
  const add = (name: string) => (value: number, tags?: MetricTags) =>
    values.set(keyOf(name, tags), (values.get(keyOf(name, tags)) ?? 0) + value);
  const meter = {
    createCounter: (name: string) => ({ add: add(`${name}_total`) }),
    createHistogram: (name: string) => ({ record: add(name) }),
    createGauge: (name: string) => ({
      set: (value: number, tags?: MetricTags) => values.set(keyOf(name, tags), value),
    }),
  } as unknown as MetricMeter;
  return { metrics: createMetrics(meter), values };
}

const WHO = { agent: 'codex', model: 'gpt' };
const run = (waiting: MeasuredRun['waiting']): MeasuredRun => ({ ...WHO, waiting });

test('counts cells by outcome, and spend as far as it is known', () => {
  const { metrics, values } = meterInMemory();
  metrics.cellEnded({ ...WHO, outcome: 'pass', reused: false }, 0.25);
  metrics.cellEnded({ ...WHO, outcome: 'pass', reused: false }, null);
  metrics.cellEnded({ ...WHO, outcome: 'pass', reused: true }, null);
  expect(values.get('llm_tool_test_cells_total agent=codex model=gpt outcome=pass reused=false')).toBe(2);
  expect(values.get('llm_tool_test_cells_total agent=codex model=gpt outcome=pass reused=true')).toBe(1);
  expect(values.get('llm_tool_test_cell_cost_usd agent=codex model=gpt')).toBe(0.25);
  expect(values.get('llm_tool_test_spend_microdollars_total agent=codex model=gpt')).toBe(250_000);
});

test('shows the agents that work now, and 0 when none does', () => {
  const { metrics, values } = meterInMemory();
  const first = metrics.agentWorks(WHO);
  const second = metrics.agentWorks({ ...WHO });
  const now = (): number | undefined => values.get('llm_tool_test_agents_running agent=codex model=gpt');
  expect(now()).toBe(2);
  // Its counters exist before they increase.
  expect(values.get('llm_tool_test_cells_total agent=codex model=gpt outcome=error reused=false')).toBe(0);
  expect(values.get('llm_tool_test_spend_microdollars_total agent=codex model=gpt')).toBe(0);
  first();
  expect(now()).toBe(1);
  second();
  expect(now()).toBe(0);
});

test('shows what open runs wait for, and forgets waits that are over', () => {
  const { metrics, values } = meterInMemory();
  const limit = { why: 'limit', provider: 'openai', until: 5_000_000 } as const;
  metrics.openRuns([run(limit), run({ ...limit, until: 9_000_000 }), run({ why: 'busy', until: null }), run(null)]);
  expect(values.get('llm_tool_test_open_runs')).toBe(4);
  expect(values.get('llm_tool_test_runs_waiting agent=codex model=gpt why=limit')).toBe(2);
  expect(values.get('llm_tool_test_runs_waiting agent=codex model=gpt why=busy')).toBe(1);
  expect(values.get('llm_tool_test_provider_limit_end_timestamp_seconds provider=openai')).toBe(9000);
  metrics.openRuns([run(null)]);
  expect(values.get('llm_tool_test_runs_waiting agent=codex model=gpt why=limit')).toBe(0);
  expect(values.get('llm_tool_test_provider_limit_end_timestamp_seconds provider=openai')).toBe(0);
});

test('shows the slots of a host, and since when its oldest run has one', () => {
  const { metrics, values } = meterInMemory();
  metrics.slots(4, 2, [9_000_000, 5_000_000]);
  metrics.cellsWaiting(7);
  expect(values.get('llm_tool_test_slots')).toBe(4);
  expect(values.get('llm_tool_test_slots_free')).toBe(2);
  expect(values.get('llm_tool_test_oldest_run_start_timestamp_seconds')).toBe(5000);
  expect(values.get('llm_tool_test_cells_waiting')).toBe(7);
  metrics.slots(4, 4, []);
  expect(values.get('llm_tool_test_oldest_run_start_timestamp_seconds')).toBe(0);
});

test('names and labels follow the conventions of Prometheus', () => {
  for (const { kind, name, help, labels } of Object.values(METRICS)) {
    expect(name).toMatch(/^llm_tool_test_[a-z0-9_]+$/);
    expect(name.endsWith('_total')).toBe(kind === 'counter');
    if (kind === 'histogram') expect(name).toMatch(/_(seconds|usd)$/);
    expect(help).not.toBe('');
    for (const label of labels)
      expect(['scenario', 'variant', 'sweep', 'cell', 'run'], 'too many values').not.toContain(label);
  }
});
