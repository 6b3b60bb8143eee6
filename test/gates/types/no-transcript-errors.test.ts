import { expect, it } from 'vitest';
import type { Efficiency } from '../../../src/results/records/result-line.js';
import { NO_USAGE } from '../../../src/results/records/token-usage.js';
import type { Trajectory } from '../../../src/results/transcript/trajectory.js';
import { check, realContext } from '../real-context.js';

const nothing: Trajectory = {
  ...{ commands: [], commandCount: 0, structured: true, tools: {}, answer: null },
  ...{ tokens: NO_USAGE, costUsd: null },
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
  expect((await failing(['a', 'b', 'c'], 5)).message).toBe(
    '5 of 12 commands failed: "a", "b", "c", and 2 more',
  );
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
