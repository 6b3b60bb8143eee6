import { expect, it } from 'vitest';
import type { Efficiency } from '../../../src/model/records/result-line.js';
import { NO_USAGE } from '../../../src/model/records/token-usage.js';
import type { Trajectory } from '../../../src/model/transcript/trajectory.js';
import { check, realContext } from '../real-context.js';

const nothing: Trajectory = {
  commands: [],
  commandCount: 0,
  structured: true,
  tools: {},
  answer: null,
  skills: {},
  actions: [],
  mcp: { calls: [], callCount: 0, problems: [] },
  tokens: NO_USAGE,
  costUsd: null,
};
const commands = (total: number, failed: number): Efficiency => ({
  total_commands: total,
  unique_commands: total,
  error_count: failed,
  retry_count: 0,
  help_invocations: 0,
  first_try_success_rate: null,
  iteration_ratio: 1,
});
const after = (efficiency: Efficiency | null) =>
  check({ type: 'no_transcript_errors' }, realContext('/nowhere', { efficiency }));

it('passes when no command failed', async () => {
  expect(await after(commands(12, 0))).toEqual({ status: 'pass', message: 'none of 12 commands failed' });
});

it('fails with the counts when commands failed', async () => {
  expect(await after(commands(12, 3))).toEqual({ status: 'fail', message: '3 of 12 commands failed' });
});

it('names the first commands that failed', async () => {
  const failing = (failed: string[], count: number) =>
    check(
      { type: 'no_transcript_errors' },
      realContext('/nowhere', { efficiency: commands(12, count), trajectory: { ...nothing, failed } }),
    );
  expect(await failing(['tool add', 'tool rm x'], 2)).toEqual({
    status: 'fail',
    message: '2 of 12 commands failed: "tool add", "tool rm x"',
  });
  expect((await failing(['a', 'b', 'c'], 5)).message).toBe('5 of 12 commands failed: "a", "b", "c", and 2 more');
});

it('is an error without a transcript: nobody knows whether a command failed', async () => {
  expect(await after(null)).toEqual({ status: 'error', message: 'there is no transcript' });
});

it('is an error where not all of the output was read', async () => {
  const context = realContext('/nowhere', { efficiency: null, trajectory: { ...nothing, unread: true } });
  expect(await check({ type: 'no_transcript_errors' }, context)).toMatchObject({
    status: 'error',
    message: expect.stringContaining('not all of its output could be read') as string,
  });
});

const judged = (did: Partial<Trajectory>, counts: Efficiency | null = commands(2, 0)) =>
  check(
    { type: 'no_transcript_errors' },
    realContext('/nowhere', { efficiency: counts, trajectory: { ...nothing, ...did } }),
  );

it('is an error where nobody knows how a call ended, unless another one failed', async () => {
  const unseen = { results: 'the end of "tool add" is not known' };
  expect(await judged({ unseen })).toEqual({
    status: 'error',
    message: 'none of 2 commands failed as far as is known; the end of "tool add" is not known',
  });
  expect(await judged({ unseen }, commands(2, 1))).toMatchObject({ status: 'fail' });
});

it('is an error where calls may not have been shown', async () => {
  expect(await judged({ unseen: { calls: 'a step was cut' } }, null)).toEqual({
    status: 'error',
    message: 'the calls are unknown: a step was cut',
  });
});

it('passes without a call only where calls would be shown', async () => {
  expect(await judged({}, commands(0, 0))).toMatchObject({ status: 'pass' });
  expect(await judged({ structured: false }, commands(0, 0))).toEqual({
    status: 'error',
    message: 'the agent printed only text, which shows no call of the target',
  });
  expect(await judged({ structured: false }, commands(1, 0))).toMatchObject({ status: 'pass' });
});
