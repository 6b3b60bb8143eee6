import type { MetricMeter } from '@temporalio/common';
import { buildId, packageVersion } from '#host';

/** A metric of ours. Names and labels are public: dashboards and alerts use them (specs/how-to/monitoring.md). */
export interface Definition {
  kind: 'counter' | 'gauge' | 'histogram';
  /** Its name in Prometheus. */
  name: string;
  help: string;
  labels: readonly string[];
  /** Upper bounds of a histogram's buckets. */
  buckets?: readonly number[];
}

// No metric has the scenario, variant or sweep as a label: their number grows with every sweep, and each value would be
// a time series of its own. Agents, models and providers are few. Reports and search attributes have the rest.
export const METRICS = {
  cells: {
    kind: 'counter',
    name: 'llm_tool_test_cells_total',
    help: 'Cells that got a result; reused: taken from an earlier run',
    labels: ['agent', 'model', 'outcome', 'reused'],
  },
  spend: {
    kind: 'counter',
    name: 'llm_tool_test_spend_microdollars_total',
    help: 'Millionths of a US dollar that runs have spent, as far as their costs are known',
    labels: ['agent', 'model'],
  },
  cost: {
    kind: 'histogram',
    name: 'llm_tool_test_cell_cost_usd',
    help: 'US dollars that a run has spent; runs of which nothing is known are not counted',
    labels: ['agent', 'model'],
    buckets: [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25],
  },
  agents: {
    kind: 'gauge',
    name: 'llm_tool_test_agents_running',
    help: 'Agents that work now',
    labels: ['agent', 'model'],
  },
  steps: {
    kind: 'histogram',
    name: 'llm_tool_test_step_duration_seconds',
    help: 'Attempts of steps; result: done, failed, waiting (for a disk or a provider), or stopped (cancelled, or the worker ended)',
    labels: ['step', 'result'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600],
  },
  openRuns: {
    kind: 'gauge',
    name: 'llm_tool_test_open_runs',
    help: 'Runs that this host has begun and not yet finished',
    labels: [],
  },
  waiting: {
    kind: 'gauge',
    name: 'llm_tool_test_runs_waiting',
    help: 'Open runs that wait for their provider; why: limit (a limit of the account) or busy',
    labels: ['agent', 'model', 'why'],
  },
  waits: {
    kind: 'counter',
    name: 'llm_tool_test_provider_waits_total',
    help: 'How often a run began to wait for its provider',
    labels: ['agent', 'model', 'why'],
  },
  limits: {
    kind: 'gauge',
    name: 'llm_tool_test_provider_limit_end_timestamp_seconds',
    help: "Unix time at which the last known limit of a provider's accounts ends; 0 if no run waits for one",
    labels: ['provider'],
  },
  slots: {
    kind: 'gauge',
    name: 'llm_tool_test_slots',
    help: 'Slots of this host',
    labels: [],
  },
  freeSlots: {
    kind: 'gauge',
    name: 'llm_tool_test_slots_free',
    help: 'Slots of this host without a run',
    labels: [],
  },
  oldestRun: {
    kind: 'gauge',
    name: 'llm_tool_test_oldest_run_start_timestamp_seconds',
    help: 'Unix time at which the oldest run of this host got its slot; 0 if there is none',
    labels: [],
  },
  cellsWaiting: {
    kind: 'gauge',
    name: 'llm_tool_test_cells_waiting',
    help: 'Cells that wait for a free slot, as the Temporal server counts them: the same number on all hosts',
    labels: [],
  },
  build: {
    kind: 'gauge',
    name: 'llm_tool_test_build_info',
    help: 'Always 1; version and build of the worker',
    labels: ['version', 'build'],
  },
} as const satisfies Record<string, Definition>;

/** The agent and model at work: the labels of most metrics. */
interface AgentAndModel {
  agent: string;
  model: string;
}

/** A run that this host has begun and not yet finished. */
export interface MeasuredRun extends AgentAndModel {
  /** Its current wait; null if it does not wait. */
  waiting: Waiting | null;
}

/** The reason why a run waits for its provider. */
export interface Waiting {
  why: 'busy' | 'limit';
  provider?: string;
  /** When the limit ends, ms since the epoch; null if unknown. */
  until: number | null;
}

/** The measurements of a worker. Counters begin at 0 with each worker, as Prometheus expects. */
export interface Metrics {
  /** A cell got a result. `usd` is what was spent on it; null if unknown. */
  cellEnded: (of: AgentAndModel & { outcome: string; reused: boolean }, usd: number | null) => void;
  /** An agent works from now on. Returns the function to call when it no longer does. */
  agentWorks: (who: AgentAndModel) => () => void;
  runWaits: (who: AgentAndModel, why: Waiting['why']) => void;
  stepEnded: (step: string, result: StepEnd, ms: number) => void;
  /** All open runs of this host. */
  openRuns: (runs: readonly MeasuredRun[]) => void;
  /** The slots of this host, and since when each is taken, in ms since the epoch. */
  slots: (total: number, free: number, taken: Iterable<number>) => void;
  cellsWaiting: (count: number) => void;
}
export type StepEnd = 'done' | 'failed' | 'waiting' | 'stopped';

const OUTCOMES = ['pass', 'fail', 'error', 'cancelled'];

/** Creates the metrics of a worker. The exporter adds `_total` to the names of counters. */
export function createMetrics(meter: MetricMeter): Metrics {
  const counter = ({ name, help }: { name: string; help: string }) =>
    meter.createCounter(name.replace(/_total$/, ''), '', help);
  const histogram = ({ name, help }: { name: string; help: string }) => meter.createHistogram(name, 'float', '', help);
  const gauge = ({ name, help }: { name: string; help: string }) => meter.createGauge(name, 'float', '', help);

  const cells = counter(METRICS.cells);
  const spend = counter(METRICS.spend);
  const cost = histogram(METRICS.cost);
  const steps = histogram(METRICS.steps);
  const waits = counter(METRICS.waits);
  const openRuns = gauge(METRICS.openRuns);
  const slots = gauge(METRICS.slots);
  const freeSlots = gauge(METRICS.freeSlots);
  const oldestRun = gauge(METRICS.oldestRun);
  const cellsWaiting = gauge(METRICS.cellsWaiting);
  const setAgents = perLabels(gauge(METRICS.agents));
  const setWaiting = perLabels(gauge(METRICS.waiting));
  const setLimits = perLabels(gauge(METRICS.limits));
  const working: AgentAndModel[] = [];

  gauge(METRICS.build).set(1, { version: packageVersion, build: buildId() });
  openRuns.set(0);
  return {
    cellEnded({ agent, model, outcome, reused }, usd) {
      cells.add(1, { agent, model, outcome, reused });
      if (usd === null) return;
      // The SDK's counters are whole numbers.
      spend.add(Math.round(usd * 1_000_000), { agent, model });
      cost.record(usd, { agent, model });
    },
    agentWorks({ agent, model }) {
      const one = { agent, model };
      // Prometheus sees an increase only if it has seen the value before it.
      for (const outcome of OUTCOMES) cells.add(0, { agent, model, outcome, reused: false });
      spend.add(0, one);
      working.push(one);
      setAgents(countBy(working));
      return () => {
        working.splice(working.indexOf(one), 1);
        setAgents(countBy(working));
      };
    },
    runWaits: ({ agent, model }, why) => waits.add(1, { agent, model, why }),
    stepEnded: (step, result, ms) => steps.record(ms / 1000, { step, result }),
    openRuns(runs) {
      openRuns.set(runs.length);
      setWaiting(
        countBy(
          runs.flatMap(({ agent, model, waiting }) => (waiting === null ? [] : [{ agent, model, why: waiting.why }])),
        ),
      );
      setLimits(limitsOf(runs));
    },
    slots(total, free, taken) {
      slots.set(total);
      freeSlots.set(free);
      const oldest = Math.min(...taken);
      oldestRun.set(oldest === Infinity ? 0 : oldest / 1000);
    },
    cellsWaiting: (count) => cellsWaiting.set(count),
  };
}

type Labels = Record<string, string>;
type Values = readonly (readonly [Labels, number])[];

/**
 * Returns a function that sets all values of a gauge. Labels that it no longer gets are set to 0: Prometheus would keep
 * their last value.
 */
function perLabels(gauge: { set: (value: number, labels: Labels) => void }): (values: Values) => void {
  let before: Values = [];
  return (values) => {
    for (const [labels] of before) gauge.set(0, labels);
    for (const [labels, value] of values) gauge.set(value, labels);
    before = values;
  };
}

/** Counts each combination of labels. */
function countBy(all: readonly object[]): Values {
  const counts = new Map<string, number>();
  for (const labels of all) counts.set(JSON.stringify(labels), (counts.get(JSON.stringify(labels)) ?? 0) + 1);
  return [...counts].map(([labels, count]) => [JSON.parse(labels) as Labels, count]);
}

/** When the last limit of each provider ends, in seconds since the epoch. */
function limitsOf(runs: readonly MeasuredRun[]): Values {
  const ends = new Map<string, number>();
  for (const { waiting } of runs)
    if (waiting?.why === 'limit' && waiting.provider !== undefined && waiting.until !== null)
      ends.set(waiting.provider, Math.max(ends.get(waiting.provider) ?? 0, waiting.until / 1000));
  return [...ends].map(([provider, end]) => [{ provider }, end]);
}
