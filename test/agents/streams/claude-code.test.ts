import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../../src/agents/claude-code.js';
import { claudeCodeStream } from '../../../src/agents/streams/claude-code.js';
import { createPricer } from '../../../src/model/cost.js';
import type { EventBody } from '../../../src/model/records/events.js';
import { createUsageMeter } from '../../../src/model/transcript/usage-meter.js';
import { survivesAnyLine } from '../hostile-lines.js';
import { classify, endOf, eventsOf, linesOf, ofType, usageOf } from '../read-capture.js';

const agent = claudeCode({ args: [], models: [], env: {} });
const name = (kind: string): string => `claude-code-${kind}`;
const read = (...kinds: string[]): EventBody[] => eventsOf(claudeCodeStream(), ...kinds.map(name));
const line = (value: unknown): EventBody[] => claudeCodeStream().line(JSON.stringify(value));

describe('the stream of Claude Code', () => {
  it('has a session, messages, commands with their exit codes, and a result', () => {
    const events = read('toolerror');
    const commands = ofType(events, 'tool_call').map(({ name: tool, command }) => [tool, command]);
    expect(commands).toEqual([
      ['Bash', 'echo out1; echo oops >&2; exit 3'],
      ['Bash', 'echo hello > out.txt'],
    ]);
    const results = ofType(events, 'tool_result');
    expect(results.map(({ exit_code, is_error }) => [exit_code, is_error])).toEqual([
      [3, true],
      [0, false],
    ]);
    expect(results.map(({ id }) => id)).toEqual(ofType(events, 'tool_call').map(({ id }) => id));
    expect(results[0]?.output).toContain('oops');
    expect(ofType(events, 'message').map(({ text }) => text)).toEqual(['Trying.', 'Second try.', 'Recovered.']);
    expect(ofType(events, 'session').at(-1)).toEqual({
      type: 'session',
      session_id: '1408445c-a733-48ba-918b-aada63f4f534',
      model_requested: 'claude-sonnet-4-5',
      model_used: 'claude-sonnet-4-5',
    });
    expect(events.at(-1)).toEqual({ type: 'result', ending: 'done', exit_code: null });
  });

  it('has no usage for a result without tokens and cost, and tokens without a cost for one without a cost', () => {
    const ended = (more: object): EventBody[] =>
      ofType(line({ type: 'result', subtype: 'success', is_error: false, result: '', ...more }), 'usage');
    const nothing = { input_tokens: 0, output_tokens: 0 };
    expect(ended({ total_cost_usd: 0, usage: nothing })).toEqual([]);
    expect(ended({ total_cost_usd: 0, usage: { ...nothing, input_tokens: 1 } })).toMatchObject([
      { input: 1, cost_usd: null },
    ]);
  });

  it('has reasoning as separate events', () => {
    const events = read('reasoning');
    expect(ofType(events, 'reasoning').map(({ text }) => text)).toEqual(['Let me think about it.', 'It worked.']);
    expect(ofType(events, 'unknown')).toEqual([]);
  });

  it('has each token once, and the reported cost', () => {
    const used = {
      input: 3000,
      output: 150,
      reasoning: 0,
      cache_read: 300,
      cache_write: 0,
      cost_usd: 0.01134,
    };
    expect(usageOf(read('toolerror'))).toEqual(used);
  });

  it('has the usage until Claude Code was killed', () => {
    const { input, cache_read: cacheRead, cost_usd: cost } = usageOf(read('kill-tool.1'));
    expect([input, cacheRead, cost]).toEqual([2000, 200, null]);
  });

  it('has the usage of a resumed session once, although Claude Code may report totals of the session', () => {
    expect(usageOf(read('resume-ok.1', 'resume-ok.2'))).toMatchObject({
      input: 4000,
      output: 200,
      cost_usd: 0.01512,
    });
    expect(usageOf(read('int-tool.1', 'int-tool.2'))).toMatchObject({
      input: 3000,
      output: 150,
      cost_usd: 0.01134,
    });
    expect(usageOf(read('kill-tool.1', 'kill-tool.2'))).toMatchObject({ input: 3000, cost_usd: 0.00378 });
  });

  it('lets the usage meter take the reported cost as the cost of its whole start only', async () => {
    const meterOf = async (...kinds: string[]): Promise<ReturnType<ReturnType<typeof createUsageMeter>['read']>> => {
      const price = { input_per_mtok: 3, output_per_mtok: 15, cache_read_per_mtok: 0.3 };
      const meter = createUsageMeter('default', await createPricer({ 'claude-sonnet-4-5': price }));
      for (const event of read(...kinds)) meter.add(event);
      return meter.read();
    };
    expect(await meterOf('ok')).toMatchObject({ costUsd: 0.00756, costSource: 'reported' });
    // Two messages of a start without a reported cost: 2 x (1000 x 3 + 100 x 0.3 + 1 x 15) / 1e6; then a reported one.
    const killed = await meterOf('kill-tool.1');
    expect(killed).toMatchObject({ costUsd: 0.00609, costSource: 'config' });
    expect((await meterOf('kill-tool.1', 'kill-tool.2')).costUsd).toBeCloseTo(0.00609 + 0.00378, 8);
  });

  it('has tokens without a cost if the result has none', () => {
    const usage = { input_tokens: 5, output_tokens: 3, cache_read_input_tokens: 0 };
    const events = line({ type: 'result', subtype: 'success', is_error: false, total_cost_usd: 0, usage });
    expect(usageOf(events)).toMatchObject({ input: 5, output: 3, cost_usd: null });
    expect(ofType(read('forbidden'), 'usage')).toEqual([]);
  });

  it('has errors for requests that are repeated, from which it recovers', () => {
    const failed = 'API request failed (rate_limit, HTTP 429); retry';
    const events = read('api429x2');
    expect(ofType(events, 'error')).toEqual([
      { type: 'error', message: `${failed} 1 of 10`, retryable: true, status: 429 },
      { type: 'error', message: `${failed} 2 of 10`, retryable: true, status: 429 },
    ]);
    expect(endOf(agent, name('api429x2')).error).toBeNull();
  });

  it('goes on after its result if tasks in the background are open', () => {
    const over = (...lines: object[]): boolean | undefined => {
      const parser = claudeCodeStream();
      for (const line of lines) parser.line(JSON.stringify(line));
      return parser.isOver?.();
    };
    const tasks = (count: number) => ({
      type: 'system',
      subtype: 'background_tasks_changed',
      tasks: Array.from({ length: count }, (_, index) => ({ task_id: index })),
    });
    const result = { type: 'result', subtype: 'success', is_error: false };
    const turn = { type: 'assistant', message: { id: 'm', model: 'm', content: [] } };
    expect(over(result)).toBe(true);
    expect(over(tasks(1), result)).toBe(false);
    expect(over(tasks(1), result, tasks(0))).toBe(true);
    expect(over(tasks(1), result, tasks(0), turn)).toBe(false);
    expect(over(tasks(1), result, tasks(0), turn, result)).toBe(true);
  });

  it('has no exit code for a command if Claude Code does not report it', () => {
    const result = (details: object, isError = false): unknown => {
      const parser = claudeCodeStream();
      const call = { type: 'tool_use', id: '1', name: 'Bash', input: { command: 'x' } };
      parser.line(JSON.stringify({ type: 'assistant', message: { id: 'm', model: 'm', content: [call] } }));
      const content = [{ type: 'tool_result', tool_use_id: '1', content: 'text', is_error: isError }];
      const events = parser.line(JSON.stringify({ type: 'user', message: { content }, tool_use_result: details }));
      return ofType(events, 'tool_result')[0]?.exit_code;
    };
    expect(result({ interrupted: false })).toBe(0);
    expect(result({ interrupted: true })).toBeNull();
    expect(result({ backgroundTaskId: 'b1' })).toBeNull();
    expect(result({ returnCodeInterpretation: 'No matches found' })).toBeNull();
    expect(result({}, true)).toBeNull();
  });

  it('marks output that was left out', () => {
    const content = [
      { type: 'tool_result', tool_use_id: '1', content: '<persisted-output>\nOutput too large (223.5KB).' },
    ];
    expect(ofType(line({ type: 'user', message: { content } }), 'tool_result')[0]?.truncated).toBe(true);
  });

  it.each(['compact_boundary', 'informational', 'background_tasks_changed', 'task_updated', 'status'])(
    'has no event for the notice system/%s',
    (subtype) => {
      expect(line({ type: 'system', subtype })).toEqual([]);
    },
  );

  it('has unknown lines as unknown events with their kind', () => {
    expect(line({ type: 'system', subtype: 'new_thing' })).toEqual([{ type: 'unknown', kind: 'system/new_thing' }]);
    expect(line({ type: 'new_thing' })).toEqual([{ type: 'unknown', kind: 'new_thing' }]);
    expect(claudeCodeStream().line('Warning: something')).toEqual([{ type: 'unknown', kind: 'text' }]);
    expect(claudeCodeStream().line('')).toEqual([]);
  });

  it('cannot crash its parser', () => {
    survivesAnyLine(
      claudeCodeStream,
      ['reasoning', 'toolerror', 'rate-limit', 'int-tool.1'].flatMap((kind) => linesOf(name(kind))),
    );
  });
});

describe('the end of Claude Code', () => {
  const endOf = (...kinds: string[]): [string, string | undefined] => {
    const { ending, again } = classify(agent, ...kinds.map(name));
    return [ending, again?.why];
  };

  it.each([
    ['ok', 'done', undefined],
    ['toolerror', 'done', undefined],
    ['api429x2', 'done', undefined],
    ['reasoning', 'done', undefined],
    ['bad-key', 'unable', undefined],
    ['api401low', 'unable', undefined],
    ['forbidden', 'unable', undefined],
    ['api400', 'unable', undefined],
    ['model-not-found', 'unable', undefined],
    ['rate-limit', 'unable', 'busy'],
    ['overloaded', 'unable', 'busy'],
    ['server-error', 'unable', 'busy'],
    ['cut', 'unable', 'busy'],
    ['reset', 'unable', 'busy'],
    ['error-event', 'unable', 'busy'],
    ['usage-limit', 'unable', 'limit'],
    ['context-length', 'gave_up', undefined],
    ['kill-tool.1', 'unable', 'killed'],
    ['term-model.1', 'unable', 'killed'],
    ['int-tool.1', 'crashed', undefined], // with exit status 0
  ])('in the capture %s is classified as %s', (kind, ending, why) => {
    expect(endOf(kind)).toEqual([ending, why]);
  });

  it.each(['kill-tool', 'int-tool', 'term-model', 'resume-ok'])(
    'in the capture %s is classified as done after the session was resumed',
    (kind) => {
      expect(endOf(`${kind}.1`, `${kind}.2`)).toEqual(['done', undefined]);
    },
  );

  it('has the time at which the limit resets', () => {
    expect(classify(agent, name('usage-limit')).again).toEqual({ why: 'limit', at: 1_795_332_477_000 });
  });

  it('has that time also from the event of a subscription', () => {
    const parser = claudeCodeStream();
    const limit = {
      type: 'rate_limit_event',
      rate_limit_info: { status: 'rejected', resetsAt: 1_795_332_477 },
    };
    expect(parser.line(JSON.stringify(limit))).toEqual([]);
    const events = parser.line(
      JSON.stringify({
        type: 'result',
        subtype: 'success',
        is_error: true,
        result: "You've hit your session limit",
      }),
    );
    expect(ofType(events, 'error')[0]?.message).toContain('(resets_at: 1795332477)');
  });

  it("has its own classes for Claude Code's limits of turns and cost", () => {
    expect(line({ type: 'result', subtype: 'error_max_turns', is_error: true })).toEqual([
      { type: 'result', ending: 'max_turns', exit_code: null },
    ]);
    const budget = line({
      type: 'result',
      subtype: 'error_max_budget_usd',
      is_error: true,
      errors: ['Reached maximum budget ($1)'],
    });
    expect(budget).toEqual([
      { type: 'error', message: 'Reached maximum budget ($1)', retryable: false },
      { type: 'result', ending: 'gave_up', exit_code: null },
    ]);
  });
});
