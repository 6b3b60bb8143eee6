import { expect, it } from 'vitest';
import type { Efficiency } from '../../src/results/schema.js';
import { check, realContext } from './real-context.js';

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

it('fails without a transcript', async () => {
  expect(await after(null)).toEqual({ status: 'fail', message: 'there is no transcript' });
});
