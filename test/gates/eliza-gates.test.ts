import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../src/model/records/token-usage.js';
import type { Trajectory } from '../../src/model/transcript/trajectory.js';
import { check, newWorkspace, realContext } from './real-context.js';

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
const after = (gate: object, did: Partial<Trajectory>) =>
  check(gate, realContext('/nowhere', { trajectory: { ...nothing, ...did } }));

describe('string_contains', () => {
  const contains = (value: string, answer: string | null, more: object = {}) =>
    after({ type: 'string_contains', value, ...more }, { answer });

  it('ignores case', async () => {
    expect(await contains('three OPEN', 'There are Three open tasks.')).toEqual({
      status: 'pass',
      message: 'the answer contains "three OPEN", ignoring case',
    });
    expect(await contains('4 open', 'There are 3 open tasks.')).toEqual({
      status: 'fail',
      message: 'the answer does not contain "4 open", ignoring case; it begins with "There are 3 open tasks."',
    });
  });

  it('takes the text as it is with case_sensitive', async () => {
    expect(await contains('Three', 'Three tasks', { case_sensitive: true })).toEqual({
      status: 'pass',
      message: 'the answer contains "Three"',
    });
    expect(await contains('three', 'Three tasks', { case_sensitive: true })).toMatchObject({
      status: 'fail',
    });
  });

  it('fails where the agent said nothing', async () => {
    expect(await contains('x', null)).toEqual({ status: 'fail', message: 'the agent gave no answer' });
  });

  it('agrees with a search, in every case and script', async () => {
    const letters = fc.string({
      unit: fc.constantFrom('a', 'B', 'ß', 'ẞ', 'Σ', 'σ', 'ς', 'é', 'É', '_', ' '),
    });
    const wanted = letters.filter((value) => value !== '');
    await fc.assert(
      fc.asyncProperty(letters, wanted, letters, async (before, value, behind) => {
        const around = `${before}${value}${behind}`;
        for (const answer of [around, around.toUpperCase(), around.toLowerCase()])
          expect(await contains(value, answer)).toMatchObject({ status: 'pass' });
      }),
    );
    await fc.assert(
      fc.asyncProperty(letters, wanted, async (answer, value) => {
        const exact = await contains(value, answer, { case_sensitive: true });
        expect(exact.status).toBe(answer.includes(value) ? 'pass' : 'fail');
      }),
    );
    // A reference for ASCII: each position, each letter.
    const ascii = fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'B', '1') });
    const same = (one: string, other: string) =>
      Array.from(one).every(
        (letter, at) => letter === other[at] || (letter.charCodeAt(0) ^ 32) === other.charCodeAt(at),
      );
    await fc.assert(
      fc.asyncProperty(
        ascii,
        ascii.filter((value) => value !== ''),
        async (answer, value) => {
          const found = Array.from(answer).some((_, at) => {
            const part = answer.slice(at, at + value.length);
            return part.length === value.length && same(part, value);
          });
          expect((await contains(value, answer)).status).toBe(found ? 'pass' : 'fail');
        },
      ),
    );
  });
});

describe('regex_match', () => {
  const matches = (pattern: string, answer: string | null) => after({ type: 'regex_match', pattern }, { answer });

  it('ignores case in all of the pattern, unless the pattern says otherwise', async () => {
    expect(await matches('^there|DONE$', 'All done')).toEqual({
      status: 'pass',
      message: 'the answer matches "^there|DONE$", ignoring case',
    });
    expect(await matches('(?-i)DONE', 'All done')).toMatchObject({ status: 'fail' });
  });

  it("fails with the answer's beginning, or where there is none", async () => {
    expect(await matches('^\\d', 'There are 3')).toEqual({
      status: 'fail',
      message: 'the answer does not match "^\\\\d", ignoring case; it begins with "There are 3"',
    });
    expect(await matches('', null)).toEqual({ status: 'fail', message: 'the agent gave no answer' });
  });
});

describe('command_exit_code_is', () => {
  const exits = (command: string, more: object = {}) => check({ type: 'command_exit_code_is', command, ...more });

  it('passes with the expected exit code, which is 0 by default', async () => {
    expect(await exits('true')).toEqual({ status: 'pass', message: 'exit 0' });
    expect(await exits('exit 3', { expected_code: 3 })).toEqual({ status: 'pass', message: 'exit 3' });
  });

  it('fails with any other exit code', async () => {
    expect(await exits('exit 2')).toEqual({ status: 'fail', message: 'exit 2' });
    expect(await exits('echo none found >&2', { expected_code: 3 })).toEqual({
      status: 'fail',
      message: 'exit 0, expected exit 3: none found',
    });
    expect((await exits('no-such-binary-here', { expected_code: 1 })).message).toMatch(
      /^exit 127 \(command not found\), expected exit 1: /,
    );
  });

  it('fails on a timeout and on a signal', async () => {
    expect(await exits('exec sleep 20', { expected_code: 1, timeout_secs: 0.2 })).toEqual({
      status: 'fail',
      message: 'timed out after 0.2 s, expected exit 1',
    });
    expect(await exits('kill -9 $$', { expected_code: 137 })).toEqual({
      status: 'fail',
      message: 'ended by a signal, expected exit 137',
    });
  });

  it('fails on a timeout even where the shell could still exit with the code', async () => {
    const context = realContext(await newWorkspace());
    const late: typeof context = {
      ...context,
      exec: async (...call) => ({ ...(await context.exec(...call)), timedOut: true }),
    };
    const gate = { type: 'command_exit_code_is', command: 'exit 3', expected_code: 3 };
    expect(await check(gate, late)).toMatchObject({ status: 'fail' });
  });
});

describe('trajectory_contains_action', () => {
  const contains = (action: string, did: Partial<Trajectory>) =>
    after({ type: 'trajectory_contains_action', action }, did);
  const tools = { send_message: 2, Read: 1 };

  it.each(['send_message', 'SEND_MESSAGE', 'sendMessage', 'S_endmessage_'])('finds %s', async (action) => {
    expect(await contains(action, { tools })).toEqual({
      status: 'pass',
      message: `2 calls of "${action}"`,
    });
  });

  it('adds up the calls of names that are the same but for case and _', async () => {
    expect(await contains('read', { tools: { Read: 1, READ: 2, re_ad: 1 } })).toMatchObject({
      message: '4 calls of "read"',
    });
  });

  it('takes the name as a whole, and never as a pattern', async () => {
    expect(await contains('SEND', { tools })).toEqual({
      status: 'fail',
      message: 'no call of "SEND"; expected at least 1; the agent called "send_message, Read"',
    });
    expect(await contains('R..d', { tools })).toMatchObject({ status: 'fail' });
    expect(await contains('READ', {})).toMatchObject({
      status: 'fail',
      message: 'no call of "READ"; expected at least 1; no tool was called',
    });
  });

  it('fails for an action that the agent only named, because it does not have it', async () => {
    expect(await contains('CHECK_STOCK', { tools, unexecuted: { check_stock: 2 } })).toEqual({
      status: 'fail',
      message:
        'no call of "CHECK_STOCK"; expected at least 1; the agent called "send_message, Read"; it named "check_stock", but nothing was executed',
    });
    expect(await contains('read', { tools, unexecuted: { read: 1 } })).toEqual({
      status: 'pass',
      message: '1 call of "read"',
    });
  });

  it('is an error where no tool calls can be seen, and passes with what was read', async () => {
    expect(await contains('READ', { structured: false })).toEqual({
      status: 'error',
      message: 'the agent printed only text, no structured events, so its tool calls are unknown',
    });
    expect(await contains('READ', { tools, unread: true })).toMatchObject({ status: 'pass' });
  });
});

describe('step_count', () => {
  const counts = (bounds: object, did: Partial<Trajectory> = { tools: { Read: 2, mcp__a: 1, mcp__b: 3 } }) =>
    after({ type: 'step_count', ...bounds }, did);

  it('counts the calls of all tools', async () => {
    expect(await counts({ max_steps: 6 })).toEqual({
      status: 'pass',
      message: '6 tool calls; expected at most 6',
    });
    expect(await counts({ max_steps: 5 })).toMatchObject({ status: 'fail' });
    expect(await counts({ min_steps: 6 })).toMatchObject({ status: 'pass' });
    expect(await counts({ min_steps: 7 })).toEqual({
      status: 'fail',
      message: '6 tool calls; expected at least 7',
    });
    expect(await counts({ max_steps: 0 }, {})).toEqual({
      status: 'pass',
      message: '0 tool calls; expected at most 0',
    });
  });

  it('counts only the tools with the prefix', async () => {
    expect(await counts({ min_steps: 4, max_steps: 4, action_prefix: 'mcp__' })).toEqual({
      status: 'pass',
      message: '4 tool calls with the prefix "mcp__"; expected at least 4 and at most 4',
    });
    expect(await counts({ max_steps: 0, action_prefix: 'MCP__' })).toMatchObject({ status: 'pass' });
    expect(await counts({ max_steps: 0, action_prefix: 'cp__' })).toMatchObject({ status: 'pass' });
  });

  it('does not count tools that were only named', async () => {
    const did = { tools: { Read: 2 }, unexecuted: { Fly: 3 } };
    expect(await counts({ min_steps: 2, max_steps: 2 }, did)).toMatchObject({ status: 'pass' });
    expect(await counts({ min_steps: 3 }, did)).toMatchObject({ status: 'fail' });
    expect(await counts({ min_steps: 1, action_prefix: 'F' }, did)).toMatchObject({ status: 'fail' });
  });

  it('only shows the target', async () => {
    expect(await counts({ max_steps: 6, target_steps: 2 })).toEqual({
      status: 'pass',
      message: '6 tool calls; expected at most 6; target 2',
    });
  });

  it('is an error where no tool calls can be seen', async () => {
    expect(await counts({ max_steps: 6 }, { structured: false })).toMatchObject({ status: 'error' });
  });

  it('decides by inclusive bounds, and where not all was read only what is certain', async () => {
    const number = fc.nat({ max: 6 });
    await fc.assert(
      fc.asyncProperty(number, number, number, number, fc.boolean(), async (a, b, min, more, unread) => {
        const max = min + more;
        const did = { tools: { a, b }, ...(unread ? { unread: true as const } : {}) };
        const both = await counts({ min_steps: min, max_steps: max }, did);
        const within = a + b >= min && a + b <= max;
        const certain = unread && a + b <= max ? 'error' : within ? 'pass' : 'fail';
        expect(both.status).toBe(certain);
        if (min === 0) return;
        const lower = await counts({ min_steps: min }, did);
        expect(lower.status).toBe(a + b >= min ? 'pass' : unread ? 'error' : 'fail');
      }),
    );
  });
});

describe('token_count', () => {
  const counts = (bounds: object, tokens: Partial<Trajectory['tokens']>) =>
    after({ type: 'token_count', ...bounds }, { tokens: { ...NO_USAGE, ...tokens } });
  const tokens = { input: 10, output: 20, reasoning: 3, cache_read: 40, cache_write: 2 };

  it('compares the sum of all kinds, as max_tokens does', async () => {
    const limit = { tokens: { ...NO_USAGE, ...tokens } };
    for (const max of [74, 75])
      expect(await counts({ max_total_tokens: max }, tokens)).toEqual(await after({ type: 'max_tokens', max }, limit));
    expect(await counts({ min_total_tokens: 75 }, tokens)).toMatchObject({ status: 'pass' });
    expect(await counts({ min_total_tokens: 76 }, tokens)).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/^75 tokens \(10 input, .*\); expected at least 76$/) as string,
    });
  });

  it('compares input with the cache, and output with reasoning', async () => {
    expect(await counts({ max_input_tokens: 52, max_output_tokens: 23 }, tokens)).toEqual({
      status: 'pass',
      message:
        '52 input tokens (10 input, 40 read from the cache, 2 written to the cache); expected at most 52; ' +
        '23 output tokens (20 output, 3 reasoning); expected at most 23',
    });
    expect(await counts({ max_input_tokens: 51, max_output_tokens: 23 }, tokens)).toEqual({
      status: 'fail',
      message: '52 input tokens (10 input, 40 read from the cache, 2 written to the cache); expected at most 51',
    });
    expect(await counts({ max_output_tokens: 22 }, tokens)).toMatchObject({ status: 'fail' });
  });

  it('is an error where tokens are not known, unless the others decide', async () => {
    expect(await counts({ max_total_tokens: 9 }, {})).toMatchObject({ status: 'error' });
    expect(await counts({ max_total_tokens: 9 }, { input: 9 })).toMatchObject({ status: 'error' });
    expect(await counts({ max_total_tokens: 9 }, { input: 10 })).toMatchObject({ status: 'fail' });
    expect(await counts({ min_total_tokens: 9 }, { input: 9 })).toMatchObject({ status: 'pass' });
    expect(await counts({ min_total_tokens: 9 }, { input: 8 })).toMatchObject({ status: 'error' });
    expect(await counts({ max_input_tokens: 9 }, { input: 9 })).toMatchObject({ status: 'pass' });
    expect(await counts({ max_output_tokens: 9 }, { input: 9 })).toEqual({
      status: 'error',
      message:
        'the number of output tokens is unknown because the agent does not report it; ' +
        '0 output tokens (none reported); expected at most 9',
    });
  });

  it('fails rather than being an error where one limit is broken and another one unknown', async () => {
    expect(await counts({ max_input_tokens: 9, max_output_tokens: 9 }, { input: 10 })).toEqual({
      status: 'fail',
      message: '10 input tokens (10 input); expected at most 9',
    });
    expect(await counts({ max_input_tokens: 10, max_output_tokens: 9 }, { input: 10 })).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/^the number of output tokens is unknown/) as string,
    });
  });

  it('takes the tokens of an interrupted agent as a lower limit', async () => {
    const used = { tokensAtLeast: { ...NO_USAGE, input: 900, output: 2 } };
    const counted = (bounds: object) => after({ type: 'token_count', ...bounds }, used);
    expect(await counted({ max_total_tokens: 901 })).toMatchObject({ status: 'fail' });
    expect(await counted({ min_total_tokens: 902 })).toMatchObject({ status: 'pass' });
    expect(await counted({ max_total_tokens: 902 })).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/^the agent used at least 902 tokens .*; the rest is unknown$/) as string,
    });
  });
});

describe('execution_time', () => {
  const lasted = (durationMs: number | null, bounds: object) =>
    check({ type: 'execution_time', ...bounds }, realContext('/nowhere', { durationMs }));

  it('compares by inclusive bounds', async () => {
    const bounds = { max_duration_ms: 2000, min_duration_ms: 1000 };
    expect(await lasted(2000, bounds)).toEqual({
      status: 'pass',
      message: 'took 2000 ms; expected at least 1000 and at most 2000 ms',
    });
    expect(await lasted(2001, bounds)).toMatchObject({ status: 'fail' });
    expect(await lasted(1000, bounds)).toMatchObject({ status: 'pass' });
    expect(await lasted(999, bounds)).toMatchObject({ status: 'fail' });
    expect(await lasted(0, { max_duration_ms: 0 })).toMatchObject({ status: 'pass' });
  });

  it('only shows the target', async () => {
    expect(await lasted(1500, { max_duration_ms: 2000, target_duration_ms: 1000 })).toEqual({
      status: 'pass',
      message: 'took 1500 ms; expected at most 2000 ms; target 1000 ms',
    });
  });

  it('is an error where the duration is not known', async () => {
    expect(await lasted(null, { max_duration_ms: 2000 })).toEqual({
      status: 'error',
      message: 'how long the agent worked was not recorded',
    });
  });
});
