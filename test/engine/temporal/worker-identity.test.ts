import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { isDeadWorker, ownWorkerIdentity } from '../../../src/engine/temporal/worker-identity.js';

it('a live worker is not dead', () => {
  expect(ownWorkerIdentity()).toMatch(new RegExp(`^${process.pid}@.+#[0-9a-f]{8}$`));
  expect(isDeadWorker(ownWorkerIdentity())).toBe(false);
});

it('a worker with an ended process is dead', async () => {
  const ended = spawn('true');
  await once(ended, 'exit');
  expect(isDeadWorker(`${ended.pid}@${hostname()}#00000000`)).toBe(true);
});

it('a worker is dead if another process has its process id', () => {
  expect(isDeadWorker(`${process.pid}@${hostname()}#00000000`)).toBe(true);
});

it('a worker on another host or with another form of identity does not count as dead', () => {
  expect(isDeadWorker('1@elsewhere#00000000')).toBe(false);
  expect(isDeadWorker(`${process.pid}@${hostname()}`)).toBe(false);
  expect(isDeadWorker('')).toBe(false);
  expect(isDeadWorker('a test')).toBe(false);
});
