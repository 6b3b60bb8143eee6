import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { processesWith } from '../host/processes.js';
import { createAgentRun } from './agent-run.js';

// No heartbeat is sent by a timer.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

test('ends the agent of a run as cancelled, and makes the step that follows it send a heartbeat at once', async () => {
  const one = await createAgentRun();
  const attempt = one.begin(1);
  await one.untilStarts(1);
  expect(attempt.heartbeats()).toBe(0);
  await one.perform(({ stopRun }) => stopRun(one.run));
  expect(attempt.heartbeats()).toBe(1);
  expect(processesWith(one.mark)).toEqual([]);
  expect(await attempt.result).toMatchObject({ ending: 'cancelled', completed: false });
});

test('ends an agent that no step follows because its worker is gone', async () => {
  const one = await createAgentRun();
  const attempt = one.begin(1);
  await one.untilStarts(1);
  attempt.stop();
  await expect(attempt.result).rejects.toMatchObject({ type: 'WorkerStopped' });
  expect(processesWith(one.mark)).not.toEqual([]);
  await one.perform(({ stopRun }) => stopRun(one.run));
  expect(processesWith(one.mark)).toEqual([]);
});
