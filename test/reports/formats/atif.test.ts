import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventBody } from '../../../src/model/records/events.js';
import { type Trajectory, trajectoryOf } from '../../../src/reports/formats/atif.js';
import { run } from '../../model/sample.js';
import { capturedRuns, recorded } from './captured-runs.js';

const OF_AGENT = ['reasoning_content', 'tool_calls', 'metrics'] as const;

/** The rules of Harbor's models that its schema does not say (test/agents/real/atif.test.ts asks those themselves). */
function problemsOf({ steps }: Trajectory): string[] {
  return steps.flatMap((step, at) => {
    const calls = (step.tool_calls ?? []).map(({ tool_call_id: id }) => id);
    const results = step.observation?.results ?? [];
    return [
      ...(step.step_id === at + 1 ? [] : [`step ${at + 1} has the id ${step.step_id}`]),
      ...OF_AGENT.filter((name) => step.source !== 'agent' && step[name] !== undefined),
      ...results.flatMap(({ source_call_id: id }) => (id === undefined || calls.includes(id) ? [] : [`no call ${id}`])),
      ...(JSON.stringify(step).includes(':null') ? ['null'] : []),
    ];
  });
}
const convert = (events: EventBody[], change = {}): Trajectory => trajectoryOf(run(change), recorded(events));
const call = (id: string, name = 'bash'): EventBody => ({
  type: 'tool_call',
  id,
  name,
  input: { command: `run ${id}` },
  command: `run ${id}`,
});
const result = (id: string): EventBody => ({
  type: 'tool_result',
  id,
  exit_code: 0,
  is_error: false,
  output: `out ${id}`,
  truncated: false,
});
const say = (text: string, role: 'user' | 'assistant' = 'assistant'): EventBody => ({ type: 'message', role, text });
const usage = (change = {}): EventBody => ({
  type: 'usage',
  input: 10,
  output: 5,
  reasoning: 2,
  cache_read: 100,
  cache_write: 7,
  cost_usd: 0.01,
  ...change,
});

describe('a trajectory', () => {
  test('has a step for each answer of the model, with its reasoning, calls, their results and its tokens', () => {
    const { steps, session_id: session } = convert([
      { type: 'session', session_id: 'abc', model_requested: 'm', model_used: 'm-1' },
      { type: 'reasoning', text: 'First' },
      { type: 'reasoning', text: 'then' },
      say('I look.'),
      call('a'),
      call('b'),
      result('b'),
      result('a'),
      usage(),
      say('Done.'),
      usage(),
      usage({ reasoning: null }),
      { type: 'result', ending: 'done', exit_code: 0 },
    ]);
    expect(session).toBe('abc');
    expect(steps.map(({ source, message }) => [source, message])).toEqual([
      ['user', 'Write a note.'],
      ['agent', 'I look.'],
      ['agent', 'Done.'],
    ]);
    expect(steps[1]).toMatchObject({
      reasoning_content: 'First\n\nthen',
      tool_calls: [
        { tool_call_id: 'a', function_name: 'bash', arguments: { command: 'run a' }, extra: { command: 'run a' } },
        { tool_call_id: 'b' },
      ],
      observation: {
        results: [
          { source_call_id: 'b', content: 'out b', extra: { exit_code: 0, is_error: false } },
          { source_call_id: 'a', content: 'out a' },
        ],
      },
      metrics: {
        prompt_tokens: 117,
        completion_tokens: 7,
        cached_tokens: 100,
        cost_usd: 0.01,
        extra: { reasoning_tokens: 2, cache_write_tokens: 7 },
      },
    });
    // A number that one part does not have is unknown of the sum.
    expect(steps[2]?.metrics).toEqual({
      prompt_tokens: 234,
      completion_tokens: 12,
      cached_tokens: 200,
      cost_usd: 0.02,
      extra: { cache_write_tokens: 14 },
    });
  });

  test('begins another step with the calls after a result, and with reasoning that nothing follows', () => {
    const { steps } = convert([call('a'), result('a'), call('b'), { type: 'reasoning', text: 'Hm.' }]);
    expect(steps.map(({ source, message }) => [source, message])).toEqual([
      ['user', 'Write a note.'],
      ['agent', ''],
      ['agent', ''],
      ['agent', ''],
    ]);
    expect(steps[2]?.observation).toBeUndefined();
    expect(steps[3]?.reasoning_content).toBe('Hm.');
  });

  test('has what the harness and the user said, in order, and the prompt once', () => {
    const { steps } = convert(
      [
        { type: 'setup_command', command: 'init', exit_code: 0, timed_out: false, stdout: 'a', stderr: 'b' },
        say('Write a note.', 'user'),
        say('Which?'),
        say('Any.', 'user'),
        { type: 'error', message: 'overloaded', retryable: true, status: 529 },
        result('lost'),
      ],
      {},
    );
    expect(steps.map(({ source, message }) => [source, message])).toEqual([
      ['system', 'init'],
      ['user', 'Write a note.'],
      ['agent', 'Which?'],
      ['user', 'Any.'],
      ['system', 'overloaded'],
      ['system', ''],
    ]);
    expect(steps[0]?.observation?.results[0]).toMatchObject({ content: 'ab', extra: { exit_code: 0 } });
    expect(steps[4]?.extra).toEqual({ event: 'error', retryable: true, status: 529 });
    expect(steps[5]).toMatchObject({ extra: { call: 'lost' }, observation: { results: [{ content: 'out lost' }] } });
  });

  test('has the totals of the run, and none that is unknown', () => {
    const token_usage = { input: 10, output: 5, reasoning: null, cache_read: 100, cache_write: null };
    const agent = run().agent;
    const known = trajectoryOf({ ...run(), agent: agent && { ...agent, token_usage, cost_usd: 0.5 } }, []);
    expect(known.final_metrics).toMatchObject({
      total_prompt_tokens: 110,
      total_completion_tokens: 5,
      total_cached_tokens: 100,
      total_cost_usd: 0.5,
      total_steps: 1,
    });
    const none = { input: null, output: null, reasoning: null, cache_read: null, cache_write: null };
    const lost = trajectoryOf({ ...run(), agent: agent && { ...agent, token_usage: none, cost_usd: null } }, []);
    expect(Object.keys(lost.final_metrics).filter((name) => name.startsWith('total_'))).toEqual(['total_steps']);
  });

  test('follows the rules of the format, whatever the events are', () => {
    const id = fc.constantFrom('a', 'b', 'c');
    const event = fc.oneof(
      id.map((one) => call(one)),
      id.map(result),
      fc.string().map((text) => say(text)),
      fc.string().map((text) => say(text, 'user')),
      fc.string().map((text): EventBody => ({ type: 'reasoning', text })),
      fc.constant(usage()),
      fc.constant(usage({ input: null, cache_read: null, cost_of_start: true })),
      id.map((kind): EventBody => ({ type: 'unknown', kind })),
      fc.constant<EventBody>({ type: 'session', session_id: null, model_requested: null, model_used: null }),
      fc.constant<EventBody>({ type: 'mcp_tools', server: 's', tools: [] }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const trajectory = convert(events);
        expect(problemsOf(trajectory)).toEqual([]);
        const said = events.filter((one) => one.type === 'message').length;
        expect(trajectory.steps.length).toBeGreaterThanOrEqual(Math.max(1, said));
        const ids = trajectory.steps.flatMap(({ tool_calls: calls = [] }) => calls);
        expect(ids).toHaveLength(events.filter(({ type }) => type === 'tool_call').length);
      }),
    );
  });

  test('is made of what every agent prints, with all of its calls', () => {
    for (const { name, record, events } of capturedRuns()) {
      const trajectory = trajectoryOf(record, events);
      expect([name, problemsOf(trajectory)]).toEqual([name, []]);
      const calls = trajectory.steps.flatMap(({ tool_calls = [] }) => tool_calls).length;
      expect([name, calls]).toEqual([name, events.filter(({ type }) => type === 'tool_call').length]);
    }
  });
});
