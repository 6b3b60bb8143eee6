import { expect, test } from 'vitest';
import type { Span } from '../../../src/lib/span.js';
import type { EventBody } from '../../../src/model/records/events.js';
import type { Metrics } from '../../../src/model/records/result-line.js';
import type { RunRecord } from '../../../src/model/records/run-record.js';
import { createTrace } from '../../../src/model/trace/create-trace.js';

const at = (secs: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, secs)).toISOString();
const ms = (secs: number): number => Date.parse(at(secs));

const done = (name: string, from: number, to: number) => ({
  name,
  status: 'done' as const,
  duration_ms: (to - from) * 1000,
  attempts: 1,
  note: null,
  ended_at: at(to),
});
const record = {
  run_id: 'r',
  sweep: 's',
  cell: 'c',
  scenario: { name: 'notes' },
  agent_name: 'codex',
  model: 'small',
  variant: 'default',
  repetition: 2,
  outcome: 'fail',
  message: '1/2 gates passed',
  started_at: at(0),
  ended_at: at(30),
  agent: { model_used: 'small-1', session_id: 'x', ending: 'done', token_usage: { input: 7, output: null } },
  steps: [
    done('prepare', 0, 1),
    done('agent', 2, 10),
    done('turn 2', 12, 20),
    done('gate 1', 20, 21),
    done('gate 2', 21, 22),
    { name: 'judge', status: 'not_performed', duration_ms: null, attempts: 0, note: 'a gate failed' },
    { name: 'report', status: 'done', duration_ms: null, attempts: 1, note: null },
  ],
} as unknown as RunRecord;
const gate = (index: number, status: string) => ({
  index,
  gate_type: 'file_exists',
  name: null,
  subject: `${index}.md`,
  status,
  message: `it is ${status}`,
});
const metrics = { details: [gate(0, 'pass'), gate(1, 'fail')], judge: null } as unknown as Metrics;

function traceOf(bodies: readonly [secs: number, body: EventBody, attempt?: number][], withContent = false): Span[] {
  const trace = createTrace({ record, metrics, costUsd: 0.5 }, withContent);
  bodies.forEach(([secs, body, attempt = 1], index) => {
    trace.add({ ...body, ts: at(secs), seq: index + 1, attempt });
  });
  return trace.end();
}
const call = (id: string, command: string | null): EventBody => ({
  type: 'tool_call',
  id,
  name: command === null ? 'read' : 'shell',
  input: { path: 'a.md' },
  command,
});
const result = (id: string, exit_code: number | null, is_error = false): EventBody => ({
  type: 'tool_result',
  id,
  exit_code,
  is_error,
  output: 'the output',
  truncated: false,
});

test('a trace has a span for the run and one for each step that was performed', () => {
  const spans = traceOf([]);
  expect(spans.map(({ name, parent }) => [name, parent])).toEqual([
    ['run notes', null],
    ['prepare', 'run'],
    ['invoke_agent codex', 'run'],
    ['invoke_agent codex', 'run'],
    ['gate 1', 'run'],
    ['gate 2', 'run'],
  ]);
  const [run, , agent, , passed, failed] = spans;
  expect(run).toMatchObject({
    startedAt: ms(0),
    endedAt: ms(30),
    error: 'fail: 1/2 gates passed',
    attributes: { 'llm_tool_test.cell': 'c', 'llm_tool_test.repetition': 2, 'llm_tool_test.cost_usd': 0.5 },
  });
  expect(run?.events.map(({ attributes }) => attributes)).toEqual([
    {
      'gen_ai.evaluation.name': 'file_exists 0.md',
      'gen_ai.evaluation.score.label': 'pass',
      'gen_ai.evaluation.explanation': 'it is pass',
    },
    {
      'gen_ai.evaluation.name': 'file_exists 1.md',
      'gen_ai.evaluation.score.label': 'fail',
      'gen_ai.evaluation.explanation': 'it is fail',
    },
  ]);
  expect(agent).toMatchObject({ startedAt: ms(2), endedAt: ms(10), error: null });
  expect(agent?.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'codex',
    'gen_ai.request.model': 'small',
    'gen_ai.response.model': 'small-1',
    'gen_ai.usage.input_tokens': 7,
  });
  expect(agent?.attributes).not.toHaveProperty('gen_ai.usage.output_tokens');
  expect([passed?.error, failed?.error]).toEqual([null, 'it is fail']);
});

test('calls of tools belong to the turn in which they began, and end with their results', () => {
  const spans = traceOf([
    [3, call('1', 'make')],
    [4, result('1', 2)],
    [5, call('2', null)],
    [13, call('1', null), 2],
    [14, result('1', null, true), 2],
  ]).filter(({ name }) => name.startsWith('execute_tool'));
  expect(spans.map(({ name, parent, startedAt, endedAt, error }) => [name, parent, startedAt, endedAt, error])).toEqual(
    [
      ['execute_tool shell', 'agent', ms(3), ms(4), 'exit 2'],
      ['execute_tool read', 'agent', ms(5), ms(10), null], // it still ran when the agent ended
      ['execute_tool read', 'turn 2', ms(13), ms(14), 'the call failed'],
    ],
  );
  expect(spans[0]?.attributes).toMatchObject({ 'gen_ai.tool.name': 'shell', 'process.exit.code': 2 });
  expect(new Set(spans.map(({ key }) => key)).size).toBe(3);
});

test('arguments and results of tools are included only if they are wanted', () => {
  const both: [number, EventBody][] = [
    [3, call('1', 'make')],
    [4, result('1', 0)],
  ];
  const content = (withContent: boolean) => traceOf(both, withContent).at(-1)?.attributes;
  expect(JSON.stringify(content(false))).not.toMatch(/make|the output/);
  expect(content(true)).toMatchObject({
    'gen_ai.tool.call.arguments': 'make',
    'gen_ai.tool.call.result': 'the output',
  });
});

test('steps without times and runs without an agent give what is known', () => {
  const steps = record.steps.map(({ name, status, duration_ms, attempts, note }) => ({
    name,
    status,
    duration_ms,
    attempts,
    note,
  }));
  const old = { ...record, agent: null, steps };
  const trace = createTrace({ record: old, metrics, costUsd: null }, false);
  trace.add({ ...call('1', 'make'), ts: at(3), seq: 1, attempt: 1 });
  expect(trace.end().map(({ name }) => name)).toEqual(['run notes']);
});
