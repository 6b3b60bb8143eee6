import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { isDeadWorker, ownWorkerIdentity } from '../../../src/platform/temporal/worker-identity.js';

it('a worker that lives is not dead', () => {
  expect(ownWorkerIdentity()).toMatch(new RegExp(`^${process.pid}@.+#[0-9a-f]{8}$`));
  expect(isDeadWorker(ownWorkerIdentity())).toBe(false);
});

it('a worker whose process has ended is dead, also one of an older build, which names no more than its process id', async () => {
  const ended = spawn('true');
  await once(ended, 'exit');
  expect(isDeadWorker(`${ended.pid}@${hostname()}`)).toBe(true);
  expect(isDeadWorker(`${ended.pid}@${hostname()}#00000000`)).toBe(true);
});

it('a worker whose process id another process has by now is dead', () => {
  expect(isDeadWorker(`${process.pid}@${hostname()}#00000000`)).toBe(true);
  expect(isDeadWorker(`${process.pid}@${hostname()}`)).toBe(false);
});

it('nothing is said of workers on other hosts, or of other forms', () => {
  expect(isDeadWorker('1@elsewhere#00000000')).toBe(false);
  expect(isDeadWorker('')).toBe(false);
  expect(isDeadWorker('a test')).toBe(false);
});
