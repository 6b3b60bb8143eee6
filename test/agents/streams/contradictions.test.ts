import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import type { Agent, StreamParser } from '../../../src/agents/agent.js';
import { knownAgents } from '../../../src/agents/known-agents.js';
import { createContradictionFinder } from '../../../src/agents/streams/contradictions.js';
import type { StopReason } from '../../../src/lib/supervision.js';
import type { EventBody } from '../../../src/model/records/events.js';
import { createTrajectoryCollector } from '../../../src/model/transcript/trajectory.js';
import { CLI_NAMES, type CliName } from '../clis.js';
import { endOf, linesOf, ofType } from '../read-capture.js';

const agentOf = (name: CliName): Agent => knownAgents({}).get(name) as Agent;
type Exit = [exitCode: number | null, stopped?: StopReason | null];

/** The facts that are unknown after events, and the reasons. */
function unknownAfter(
  events: readonly EventBody[],
  [exitCode, stopped = null]: Exit = [0],
  parser: Pick<StreamParser, 'leavesCallsOpen' | 'failsByAnyError'> = {},
): [unknown: string, message: string][] {
  const finder = createContradictionFinder(parser);
  for (const event of events) finder.add(event);
  return finder.end({ exitCode, stopped }).map(({ message, unknown }) => [unknown.join(), message]);
}

const call = (id: string): EventBody => ({ type: 'tool_call', id, name: 'sh', input: null, command: 'ls' });
const answer = (id: string): EventBody => ({
  type: 'tool_result',
  id,
  exit_code: 0,
  is_error: false,
  output: '',
  truncated: false,
});
const ends = (ending: string): EventBody => ({ type: 'result', ending, exit_code: null });
const error: EventBody = { type: 'error', message: 'no', retryable: false };
const session: EventBody = { type: 'session', session_id: null, model_requested: null, model_used: null };
const costs = (cost_usd: number, ofStart = false): EventBody => ({
  type: 'usage',
  input: 1,
  output: 1,
  reasoning: null,
  cache_read: null,
  cache_write: null,
  cost_usd,
  ...(ofStart ? { cost_of_start: true } : {}),
});
const done = ends('done');

test.each<[unknown: string, events: EventBody[], exit?: Exit]>([
  ['calls', [call('a'), done]],
  ['calls', [call('a'), call('b'), answer('a'), done]],
  ['calls', [answer('a'), done]],
  ['calls', [call('a'), answer('a'), answer('b'), done]],
  ['calls,usage', [done, ends('gave_up')]],
  ['calls,usage', [ends('gave_up'), done]],
  ['calls,usage', [done, error]],
  ['calls,usage', [done, call('a'), answer('a')]],
  ['calls,usage', [call('a'), answer('a'), done], [1]],
  ['calls,usage', [call('a'), answer('a'), done], [137]],
  ['usage', [session, costs(2), costs(1, true), done]],
])('leaves %s unknown: case %#', (unknown, events, exit) => {
  expect(unknownAfter(events, exit).map(([found]) => found)).toEqual([unknown]);
});

test.each<[events: EventBody[], exit?: Exit]>([
  [[call('a'), answer('a'), done]],
  [[call('a'), answer('other'), done]],
  [[call('a'), answer('a'), answer('a'), done]],
  [[{ ...call('a'), executed: false } as EventBody, done]],
  [[call('a')]],
  [[call('a')], [137]],
  [[call('a'), ends('gave_up')]],
  [[call('a'), answer('a'), ends('max_turns')], [1]],
  [[done, done]],
  [[error, ends('gave_up')], [1]],
  [[error, done]],
  [[done, session, call('a'), answer('a'), done]],
  [[done, call('a')], [137]],
  [
    [done, call('a')],
    [143, 'deadline'],
  ],
  [[done], [143, 'result']],
  [[done], [null]],
  [[session, costs(0.1), costs(0.2), costs(0.1 + 0.2, true), done]],
  [[session, costs(3), session, costs(1, true), done]],
])('leaves nothing unknown: case %#', (events, exit) => {
  expect(unknownAfter(events, exit)).toEqual([]);
});

test('knows of agents whose commands may still run when they report success', () => {
  expect(unknownAfter([call('a'), done], [0], { leavesCallsOpen: true })).toEqual([]);
});

test('knows of agents whose exit status may be that of an error from which they recovered', () => {
  const after = (exitCode: number) => unknownAfter([error, done], [exitCode], { failsByAnyError: true });
  expect([1, 2, 137].map((code) => after(code).length)).toEqual([0, 1, 1]);
  expect(unknownAfter([error, done], [1])).toHaveLength(1);
});

test('a start that continues a session may have results of calls that an earlier one made', () => {
  const finder = createContradictionFinder({});
  for (const event of [session, call('a')]) finder.add(event);
  finder.begin();
  for (const event of [session, answer('a'), done]) finder.add(event);
  expect(finder.end({ exitCode: 0, stopped: null })).toEqual([]);
});

/** The reason why calls of an agent that printed these lines are unknown; null if they are known. */
function unknownReason(agent: Agent, starts: readonly (readonly string[])[], exit: Exit): string | null {
  const parser = agent.parser();
  const finder = createContradictionFinder(parser);
  const trajectory = createTrajectoryCollector();
  const add = (event: EventBody): void => {
    finder.add(event);
    trajectory.add(event);
  };
  for (const [index, lines] of starts.entries()) {
    finder.begin();
    parser.begin?.(index + 1);
    for (const line of lines) for (const event of parser.line(line)) add(event);
  }
  for (const event of parser.end()) add(event);
  const { unread, unseen } = trajectory.end(null);
  const [exitCode, stopped = null] = exit;
  const [first] = finder.end({ exitCode, stopped });
  return unread === true ? 'unread' : (unseen?.calls ?? first?.message ?? null);
}

const captures = readdirSync(new URL('../captures', import.meta.url))
  .filter((file) => file.endsWith('.jsonl') && !file.endsWith('.2.jsonl'))
  .map((file) => file.replace(/\.jsonl$/, ''));

describe.each(CLI_NAMES)('what %s printed', (name) => {
  const agent = agentOf(name);

  it('does not contradict its end, except where it did not show a call', () => {
    const unknown = captures
      .filter((capture) => capture.startsWith(`${name}-`))
      .flatMap((first) => {
        const second = first.replace(/\.1$/, '.2');
        const isPair = second !== first && existsSync(new URL(`../captures/${second}.jsonl`, import.meta.url));
        const all = isPair ? [first, second] : [first];
        const { exitCode, stopped } = endOf(agent, ...all);
        const why = unknownReason(agent, all.map(linesOf), [exitCode, stopped]);
        return why === null || all.flatMap(linesOf).length === 0 ? [] : [`${first}: ${why}`];
      });
    const cut = ['cut', 'error-event', 'int-tool.1', 'kill-tool.1', 'killed'];
    expect(unknown).toEqual(
      name === 'opencode'
        ? cut.map((one) => `opencode-${one}: a step that did not end: its last calls are not shown`)
        : name === 'gemini'
          ? ['gemini-subagent: it counts 4 calls of tools, and shows 2']
          : [],
    );
  });

  const callsIn = (lines: readonly string[]): number => {
    const parser = agent.parser();
    return ofType(
      lines.flatMap((line) => parser.line(line)),
      'tool_call',
    ).length;
  };
  it.each(['ok', 'toolerror'])('shows that a line with a call is missing: %s', (kind) => {
    const lines = linesOf(`${name}-${kind}`);
    for (const [index] of lines.entries()) {
      const left = lines.toSpliced(index, 1);
      if (callsIn(left) < callsIn(lines)) expect([index, unknownReason(agent, [left], [0])]).not.toContain(null);
    }
  });

  it.skipIf(name === 'opencode').each(['ok', 'toolerror'])(
    'shows that a call and its result are missing: %s',
    (kind) => {
      const lines = linesOf(`${name}-${kind}`);
      const parser = agent.parser();
      const found = lines.map((line) => parser.line(line));
      for (const { id } of ofType(found.flat(), 'tool_call')) {
        const isOf = (event: EventBody): boolean => 'id' in event && event.id === id;
        const left = lines.filter((_, index) => found[index]?.some(isOf) !== true);
        expect([id, unknownReason(agent, [left], [0])]).not.toContain(null);
      }
    },
  );
});

test('a result of Claude Code that counts more or fewer turns than it has shown leaves its calls unknown', () => {
  const lines = linesOf('claude-code-toolerror');
  const counting = (turns: number): string[] =>
    lines.map((line) => line.replace(/"num_turns":\d+/, `"num_turns":${turns}`));
  const agent = agentOf('claude-code');
  expect(unknownReason(agent, [counting(3)], [0])).toBeNull();
  expect(unknownReason(agent, [counting(5)], [0])).toBe('it counts 5 turns, and shows 3');
  expect(unknownReason(agent, [counting(1)], [0])).toBe('it counts 1 turns, and shows 3');
});

test('a result of Claude Code whose tokens are less than those of its messages leaves them unknown', () => {
  const parser = agentOf('claude-code').parser();
  for (const line of linesOf('claude-code-toolerror'))
    parser.line(
      line.replace(/"inputTokens":\d+/g, '"inputTokens":1').replace(/"input_tokens":\d{4}/, '"input_tokens":2000'),
    );
  expect(parser.usagePending()).toBe(true);
  expect(parser.problems?.().first.map(({ message }) => message)).toEqual([
    'usage.input_tokens: expected at least 6000, which is the sum of its parts, got 1',
  ]);
});
