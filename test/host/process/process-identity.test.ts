import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { bootId, identify, isAlive, ownIdentity, signalProcess } from '../../../src/host/process/process-identity.js';
import { waitUntil } from '../../../src/host/process/waiting.js';
import { readProc } from '../processes.js';

function child(command: string, args: string[]): ChildProcess & { pid: number } {
  const started = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void started.kill('SIGKILL'));
  if (started.pid === undefined) throw new Error(`cannot start ${command}`);
  return started as ChildProcess & { pid: number };
}

it('a process is alive until it has ended', async () => {
  const { pid } = child('sleep', ['1000']);
  const identity = identify(pid);
  expect(identity).toMatchObject({ pid, boot: bootId() });
  expect(identity !== null && isAlive(identity)).toBe(true);
  expect(identity !== null && signalProcess(identity, 'SIGKILL')).toBe(true);
  expect(await waitUntil(() => (identity !== null && !isAlive(identity) ? true : null), 30_000, 10)).toBe(true);
  expect(identity !== null && signalProcess(identity, 'SIGKILL')).toBe(false);
  expect(identify(pid)).toBeNull();
});

it('identifies this process', () => {
  expect(ownIdentity()).toEqual(identify(process.pid));
  expect(isAlive(ownIdentity())).toBe(true);
});

it('does not take another process that got the same pid for the first one, and does not signal it', () => {
  const { pid } = child('sleep', ['1000']);
  const before = { pid, start: '1', boot: bootId() };
  expect(isAlive(before)).toBe(false);
  expect(signalProcess(before, 'SIGKILL')).toBe(false);
  expect(identify(pid)).not.toBeNull();
});

it('no process from before a reboot is alive', () => {
  expect(isAlive({ ...ownIdentity(), boot: 'another' })).toBe(false);
});

it('a zombie is dead', async () => {
  // The shell becomes a program that never waits for its child.
  const parent = child('sh', ['-c', 'sh -c "echo \\$\\$; read line" & exec sleep 1000']);
  const [chunk] = (await once(parent.stdout ?? parent, 'data')) as [Buffer];
  const pid = Number(String(chunk));
  const isZombie = (): true | null => (/^\d+ \(.*\) Z/.test(readProc(pid, 'stat')) ? true : null);
  expect(await waitUntil(isZombie, 30_000, 10)).toBe(true);
  expect(identify(pid)).toBeNull();
});

it('identifies a program with spaces and parentheses in its name', async () => {
  const named = child('sh', ['-c', 'printf "a) R 1 (b" >/proc/$$/comm; echo ready; read line']);
  await once(named.stdout ?? named, 'data');
  expect(readProc(named.pid, 'stat')).toContain('(a) R 1 (b)');
  expect(identify(named.pid)?.start).toMatch(/^\d{3,}$/);
});
