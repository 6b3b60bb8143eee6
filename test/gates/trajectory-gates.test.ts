import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../src/model/records/token-usage.js';
import type { Trajectory } from '../../src/model/transcript/trajectory.js';
import { check, realContext } from './real-context.js';

const nothing: Trajectory = {
  commands: [],
  commandCount: 0,
  structured: true,
  tools: {},
  skills: {},
  actions: [],
  mcp: { calls: [], callCount: 0, problems: [] },
  answer: null,
  tokens: NO_USAGE,
  costUsd: null,
};
const after = (gate: object, did: Partial<Trajectory> | null) =>
  check(gate, realContext('/nowhere', { trajectory: did === null ? null : { ...nothing, ...did } }));
const text = '; the agent printed only text, no structured events, so only calls to the target are known';

const ran = {
  commands: [
    { whole: 'cd shop && git log | head', parts: ['cd shop', 'git log', 'head'] },
    { whole: 'git status', parts: ['git status'] },
  ],
  commandCount: 4,
};

describe.each([
  { type: 'command_called', pattern: 'x' },
  { type: 'command_not_called', pattern: 'x' },
  { type: 'tool_called', tool: 'x' },
  { type: 'max_commands', max: 1 },
  { type: 'max_cost_usd', max: 1 },
  { type: 'max_tokens', max: 1 },
  { type: 'trajectory_contains_action', action: 'x' },
  { type: 'step_count', max_steps: 1 },
  { type: 'token_count', max_total_tokens: 1 },
  { type: 'string_contains', value: 'x' },
  { type: 'regex_match', pattern: 'x' },
  { type: 'response_contains', substring: 'x' },
  { type: 'response_matches', pattern: 'x' },
])('$type', (gate) => {
  it('is an error where nothing was recorded', async () => {
    expect(await after(gate, null)).toEqual({
      status: 'error',
      message: 'what the agent did was not recorded',
    });
  });
});

describe.each([
  { type: 'command_called', pattern: 'git', max: 9 },
  { type: 'command_not_called', pattern: 'x' },
  { type: 'tool_called', tool: 'x' },
  { type: 'max_commands', max: 9 },
  { type: 'trajectory_contains_action', action: 'x' },
  { type: 'step_count', max_steps: 1 },
  { type: 'string_contains', value: 'x' },
  { type: 'regex_match', pattern: 'x' },
  { type: 'response_contains', substring: 'x' },
  { type: 'response_matches', pattern: 'x' },
])('$type', (gate) => {
  it('is an error where it would pass or fail by what was not read', async () => {
    const verdict = await after(gate, { ...ran, answer: 'x', unread: true });
    expect(verdict.status).toBe('error');
    expect(verdict.message).toContain('not all of its output could be read');
  });
});

describe.each([
  { type: 'command_called', pattern: 'git', max: 9 },
  { type: 'command_called', pattern: 'svn' },
  { type: 'command_not_called', pattern: 'x' },
  { type: 'tool_called', tool: 'x' },
  { type: 'max_commands', max: 9 },
  { type: 'trajectory_contains_action', action: 'x' },
  { type: 'step_count', max_steps: 1 },
  { type: 'skill_used', skill: 'x' },
  { type: 'skill_not_used', skill: 'x' },
  { type: 'no_transcript_errors' },
])('$type', (gate) => {
  it('is an error where calls may not have been shown, and says why', async () => {
    const verdict = await after(gate, { ...ran, skills: {}, answer: 'x', unseen: { calls: 'cut short' } });
    expect(verdict).toMatchObject({ status: 'error' });
    expect(verdict.message).toContain('cut short');
  });
});

describe('a response', () => {
  it('is known although calls before it may not have been shown', async () => {
    const did = { answer: 'all done', unseen: { calls: 'cut short' } };
    expect(await after({ type: 'response_contains', substring: 'done' }, did)).toMatchObject({
      status: 'pass',
    });
  });
});

describe('what is known for sure', () => {
  it('decides also where not all was read', async () => {
    const did = { ...ran, tools: { Bash: 3 }, unread: true } as const;
    expect((await after({ type: 'max_commands', max: 3 }, did)).status).toBe('fail');
    const text = { ...ran, structured: false };
    expect((await after({ type: 'max_commands', max: 3 }, text)).status).toBe('fail');
    expect((await after({ type: 'max_commands', max: 9 }, text)).status).toBe('error');
    expect((await after({ type: 'command_called', pattern: 'svn' }, text)).status).toBe('error');
    expect((await after({ type: 'command_not_called', pattern: '^git' }, did)).status).toBe('fail');
    expect((await after({ type: 'command_called', pattern: '^git', min: 2 }, did)).status).toBe('pass');
    expect((await after({ type: 'tool_called', tool: 'Bash' }, did)).status).toBe('pass');
  });
});

describe('an interrupted agent', () => {
  const used = { tokensAtLeast: { ...NO_USAGE, input: 900, output: 2 }, costAtLeastUsd: 0.5 };

  it('fails a limit that it has passed for sure', async () => {
    expect(await after({ type: 'max_cost_usd', max: 0.4 }, used)).toMatchObject({ status: 'fail' });
    expect(await after({ type: 'max_tokens', max: 901 }, used)).toMatchObject({ status: 'fail' });
  });

  it('is an error below the limit: the rest is not known', async () => {
    expect(await after({ type: 'max_cost_usd', max: 0.5 }, used)).toEqual({
      status: 'error',
      message: 'the agent cost at least $0.5; expected at most $0.5; the rest is unknown',
    });
    expect(await after({ type: 'max_tokens', max: 902 }, used)).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/^the agent used at least 902 tokens/) as string,
    });
  });
});

describe('command_called', () => {
  const called = (pattern: string, bounds: object = {}, did: Partial<Trajectory> = ran) =>
    after({ type: 'command_called', pattern, ...bounds }, did);

  it('passes with the commands that match, each of a compound command by itself', async () => {
    expect(await called('^git')).toEqual({
      status: 'pass',
      message: '2 of 4 commands match "^git" ("git log", "git status")',
    });
  });

  it('counts a line once that matches only as a whole', async () => {
    expect(await called('log \\| head')).toEqual({
      status: 'pass',
      message: '1 of 4 commands matches "log \\\\| head" ("cd shop && git log | head")',
    });
    expect(await called('git.*head', { min: 2 })).toMatchObject({ status: 'fail' });
  });

  it('fails where none or too few match', async () => {
    expect(await called('^svn')).toEqual({
      status: 'fail',
      message: 'none of 4 commands matches "^svn"; expected at least 1',
    });
    expect(await called('^git', { min: 3 })).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/^2 of 4 .*; expected at least 3$/) as string,
    });
  });

  it('fails where too many match, and takes none where min is 0', async () => {
    expect(await called('^git', { max: 1 })).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/; expected at most 1$/) as string,
    });
    expect(await called('^git', { max: 2 })).toMatchObject({ status: 'pass' });
    expect(await called('^svn', { min: 0, max: 2 })).toMatchObject({ status: 'pass' });
  });

  it('names the first three', async () => {
    const commands = ['ls 1', 'ls 2', 'ls 3', 'ls 4', 'ls 5'].map((whole) => ({ whole, parts: [whole] }));
    expect(await called('^ls', {}, { commands, commandCount: 5 })).toEqual({
      status: 'pass',
      message: '5 of 5 commands match "^ls" ("ls 1", "ls 2", "ls 3", and 2 more)',
    });
  });

  it('says where the commands come from a text', async () => {
    expect(await called('^git', {}, { ...ran, structured: false })).toMatchObject({
      status: 'pass',
      message: expect.stringContaining(text) as string,
    });
  });

  it('is an error only where commands that were not kept could decide', async () => {
    const many = { ...ran, commandCount: 10 };
    expect(await called('^git', {}, many)).toMatchObject({ status: 'pass' });
    expect(await called('^svn', {}, many)).toEqual({
      status: 'error',
      message: 'none of 10 commands matches "^svn"; the last 6 were not kept, so this cannot be decided',
    });
    expect(await called('^git', { max: 2 }, many)).toMatchObject({ status: 'error' });
    expect(await called('^git', { max: 1 }, many)).toMatchObject({ status: 'fail' });
    expect(await called('^git', { min: 9 }, many)).toMatchObject({ status: 'fail' });
  });
});

describe('command_not_called', () => {
  const notCalled = (pattern: string, did: Partial<Trajectory> = ran) =>
    after({ type: 'command_not_called', pattern }, did);

  it('passes where no command matches, also where none was run', async () => {
    expect(await notCalled('^rm')).toEqual({ status: 'pass', message: 'none of 4 commands matches "^rm"' });
    expect(await notCalled('^rm', {})).toMatchObject({ status: 'pass' });
  });

  it('fails with the commands that match', async () => {
    expect(await notCalled('^git s')).toEqual({
      status: 'fail',
      message: '1 of 4 commands matches "^git s" ("git status"); expected none',
    });
  });

  it('does not pass where commands were not kept', async () => {
    expect(await notCalled('^rm', { ...ran, commandCount: 5 })).toMatchObject({ status: 'error' });
    expect(await notCalled('^git', { ...ran, commandCount: 5 })).toMatchObject({ status: 'fail' });
  });

  it('does not pass for a text, which shows only calls of the target', async () => {
    expect(await notCalled('^rm', { ...ran, structured: false })).toEqual({
      status: 'error',
      message: `none of 4 commands matches "^rm"${text}, so this cannot be decided`,
    });
    expect(await notCalled('^git', { ...ran, structured: false })).toMatchObject({ status: 'fail' });
  });
});

describe('tool_called', () => {
  const tools = { Read: 2, TodoRead: 1, mcp__docs__find: 1, mcp__docs__open: 2 };
  const called = (tool: string, min?: number, did: Partial<Trajectory> = { tools }) =>
    after({ type: 'tool_called', tool, ...(min === undefined ? {} : { min }) }, did);

  it('takes the name as a whole', async () => {
    expect(await called('Read')).toEqual({ status: 'pass', message: '2 calls of "Read"' });
    expect(await called('Rea')).toEqual({
      status: 'fail',
      message:
        'no call of "Rea"; expected at least 1; the agent called "Read, TodoRead, mcp__docs__find, mcp__docs__open"',
    });
  });

  it('takes a pattern, and counts the calls of all tools that match', async () => {
    expect(await called('mcp__docs__.*', 3)).toEqual({
      status: 'pass',
      message: '3 calls of "mcp__docs__.*"',
    });
    expect(await called('Read|TodoRead', 4)).toMatchObject({ status: 'fail' });
  });

  it('fails where no tool was called, and is an error where none can be seen', async () => {
    expect(await called('Read', 1, {})).toEqual({
      status: 'fail',
      message: 'no call of "Read"; expected at least 1; no tool was called',
    });
    expect(await called('Read', 1, { structured: false })).toEqual({
      status: 'error',
      message: 'the agent printed only text, no structured events, so its tool calls are unknown',
    });
  });
});

describe('max_commands', () => {
  const atMost = (max: number, did: Partial<Trajectory> = ran) => after({ type: 'max_commands', max }, did);

  it('compares the number of commands', async () => {
    expect(await atMost(4)).toEqual({ status: 'pass', message: '4 commands; expected at most 4' });
    expect(await atMost(3)).toEqual({ status: 'fail', message: '4 commands; expected at most 3' });
    expect(await atMost(0, {})).toMatchObject({ status: 'pass' });
  });

  it('counts those that were not kept, and says where they come from a text', async () => {
    expect(await atMost(5, { ...ran, commandCount: 6, structured: false })).toEqual({
      status: 'fail',
      message: `6 commands; expected at most 5${text}`,
    });
  });
});

describe('max_cost_usd', () => {
  const atMost = (max: number, did: Partial<Trajectory>) => after({ type: 'max_cost_usd', max }, did);

  it('compares the cost of the agent', async () => {
    expect(await atMost(0.5, { costUsd: 0.5 })).toEqual({
      status: 'pass',
      message: 'the agent cost $0.5; expected at most $0.5',
    });
    expect(await atMost(0.5, { costUsd: 0.51 })).toEqual({
      status: 'fail',
      message: 'the agent cost $0.51; expected at most $0.5',
    });
    expect(await atMost(0, { costUsd: 0 })).toMatchObject({ status: 'pass' });
  });

  it('is an error where the cost is not known, and says what would make it known', async () => {
    expect(await atMost(1, { tokens: { ...NO_USAGE, input: 3, output: 4 } })).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/^the cost is unknown: .*add \[prices\."MODEL"\] to the config file$/) as string,
    });
    expect(await atMost(1, {})).toEqual({
      status: 'error',
      message: 'the cost is unknown: the agent reports neither cost nor tokens',
    });
  });
});

describe('max_tokens', () => {
  const atMost = (max: number, tokens: Partial<Trajectory['tokens']>) =>
    after({ type: 'max_tokens', max }, { tokens: { ...NO_USAGE, ...tokens } });

  it('compares the sum of all kinds', async () => {
    const tokens = { input: 10, output: 20, reasoning: 3, cache_read: 40, cache_write: 2 };
    const parts = '10 input, 20 output, 3 reasoning, 40 read from the cache, 2 written to the cache';
    expect(await atMost(75, tokens)).toEqual({
      status: 'pass',
      message: `75 tokens (${parts}); expected at most 75`,
    });
    expect(await atMost(74, tokens)).toEqual({
      status: 'fail',
      message: `75 tokens (${parts}); expected at most 74`,
    });
    expect(await atMost(30, { input: 10, output: 20 })).toMatchObject({ status: 'pass' });
  });

  it('is an error where input or output is not known, unless the rest is too much already', async () => {
    expect(await atMost(100, {})).toMatchObject({
      status: 'error',
      message: expect.stringContaining('the number of tokens is unknown') as string,
    });
    expect(await atMost(100, { input: 10 })).toMatchObject({ status: 'error' });
    expect(await atMost(100, { output: 10, cache_read: 5 })).toMatchObject({ status: 'error' });
    expect(await atMost(100, { output: 101 })).toMatchObject({ status: 'fail' });
  });
});

describe('response_contains and response_matches', () => {
  const contains = (substring: string, answer: string | null) =>
    after({ type: 'response_contains', substring }, { answer });
  const matches = (pattern: string, answer: string | null) => after({ type: 'response_matches', pattern }, { answer });

  it('pass where the answer has it', async () => {
    expect(await contains('3 open', 'There are 3 open tasks.')).toEqual({
      status: 'pass',
      message: 'the answer contains "3 open"',
    });
    expect(await matches('\\d open', 'There are 3 open tasks.')).toEqual({
      status: 'pass',
      message: 'the answer matches "\\\\d open"',
    });
  });

  it("fail with the answer's beginning", async () => {
    expect(await contains('3 Open', 'There are 3 open tasks.')).toEqual({
      status: 'fail',
      message: 'the answer does not contain "3 Open"; it begins with "There are 3 open tasks."',
    });
    expect(await matches('^3', `There ${'x'.repeat(500)}`)).toEqual({
      status: 'fail',
      message: `the answer does not match "^3"; it begins with "There ${'x'.repeat(114)}…"`,
    });
  });

  it('fail where the agent said nothing', async () => {
    const silent = { status: 'fail', message: 'the agent gave no answer' };
    expect(await contains('x', null)).toEqual(silent);
    expect(await matches('', null)).toEqual(silent);
  });
});
