import { spawn } from 'node:child_process';
import { utimesSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { identify, isAlive, ownIdentity, type ProcessIdentity } from '../../../src/host/process/process-identity.js';
import { inspect, stopSupervised, waitForEnd } from '../../../src/host/process/supervise.js';
import { processesWith } from '../processes.js';
import { newFolder, setEnv } from '../temporary.js';
import { LONG_MS, start } from '../supervised.js';

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await newFolder();
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

const claim = ({ pid, start, boot }: ProcessIdentity): string => `${pid} ${boot} group ${start}\n`;

describe('the state of a start', () => {
  it('is none if no agent was started in the folder', async () => {
    expect(await inspect(await newFolder())).toEqual({ state: 'none' });
    expect(await inspect('/no/such/folder')).toEqual({ state: 'none' });
    expect(await waitForEnd('/no/such/folder', AbortSignal.timeout(LONG_MS))).toEqual({ state: 'none' });
    expect(await stopSupervised('/no/such/folder', 'cancel')).toEqual({ state: 'none' });
  });

  it('is running with the claim of a live process', async () => {
    expect(await inspect(await folderWith({ sup: claim(ownIdentity()) }))).toEqual({ state: 'running' });
  });

  it.each([
    ['from before a reboot', { boot: '00000000-0000-0000-0000-000000000000' }],
    ['with a pid that another process has now', { start: '1' }],
    ['of a process that is gone', { pid: 4_194_303 }],
  ])('is dead with a claim %s', async (_, change) => {
    const folder = await folderWith({ sup: claim({ ...ownIdentity(), ...change }) });
    expect(await inspect(folder)).toEqual({ state: 'dead' });
    expect(await waitForEnd(folder, AbortSignal.timeout(LONG_MS))).toEqual({ state: 'dead' });
  });

  it.each([
    ['', 'empty'],
    [`${process.pid} `, 'cut'],
    [claim(ownIdentity()).trimEnd(), 'without its newline'],
  ])('is starting with a half-written claim (%j) at first, then dead', async (text) => {
    const folder = await folderWith({ sup: text });
    expect(await inspect(folder)).toEqual({ state: 'starting' });
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(join(folder, 'sup'), longAgo, longAgo);
    expect(await inspect(folder)).toEqual({ state: 'dead' });
  });

  it('is awaited until a supervisor that takes seconds to die after the exit status is dead', async () => {
    const supervisor = identify(spawn('sleep', ['3']).pid ?? 0);
    if (supervisor === null) throw new Error('sleep did not start');
    const folder = await folderWith({ sup: claim(supervisor), exit: '0\n' });
    const end = await waitForEnd(folder, AbortSignal.timeout(LONG_MS));
    expect([end, isAlive(supervisor)]).toEqual([{ state: 'ended', exitCode: 0, stopped: null }, false]);
  });

  it.each(['', '1'])('is not ended with an incomplete exit status (%j)', async (exit) => {
    expect(await inspect(await folderWith({ sup: claim(ownIdentity()), exit }))).toEqual({
      state: 'running',
    });
    const dead = claim({ ...ownIdentity(), start: '1' });
    expect(await inspect(await folderWith({ sup: dead, exit }))).toEqual({ state: 'dead' });
  });

  it.each(['cancel', 'deadline', 'idle'])(
    'is ended with a complete exit status even if the supervisor is gone (%s)',
    async (stop) => {
      const sup = claim({ ...ownIdentity(), boot: 'other' });
      expect(await inspect(await folderWith({ sup, exit: '12\n' }))).toEqual({
        state: 'ended',
        exitCode: 12,
        stopped: null,
      });
      const folder = await folderWith({ sup, exit: '143\n', stop: `${stop}\n` });
      expect(await inspect(folder)).toEqual({ state: 'ended', exitCode: 143, stopped: stop });
    },
  );
});

describe('waiting for the end', () => {
  it('notices the end without polling', async () => {
    setEnv({ LLM_TOOL_TEST_CONTAINMENT: 'group' });
    const agent = await start('while [ ! -e go ]; do sleep 0.02; done');
    const never = () => () => undefined;
    const end = waitForEnd(agent.folder, AbortSignal.timeout(LONG_MS), never);
    await writeFile(join(agent.cwd, 'go'), '');
    expect(await end).toMatchObject({ state: 'ended', exitCode: 0 });
  });

  it('rejects when the signal aborts, and leaves the agent alone', async () => {
    const agent = await start('sleep $S');
    const abort = new AbortController();
    const end = waitForEnd(agent.folder, abort.signal);
    abort.abort(new Error('shutting down'));
    await expect(end).rejects.toThrow('shutting down');
    expect(await inspect(agent.folder)).toEqual({ state: 'running' });
    expect(processesWith(agent.folder).length).toBeGreaterThan(0);
  });

  it('leaves no listeners on the signal, no matter how long it waits', async () => {
    const supervisor = spawn('sleep', ['300']);
    const identity = identify(supervisor.pid ?? 0);
    if (identity === null) throw new Error('sleep did not start');
    const folder = await folderWith({ sup: claim(identity) });
    const { signal } = new AbortController();
    const counted = { added: 0, removed: 0 };
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      counted.added += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      counted.removed += 1;
      remove(...args);
    };
    const end = waitForEnd(folder, signal);
    // Every change of the file `exit` makes it look again, even if the agent has not ended.
    for (let round = 0; round < 5; round++) await appendFile(join(folder, 'exit'), '');
    await writeFile(join(folder, 'exit'), '0\n');
    supervisor.kill('SIGKILL');
    await end;
    expect(counted.added).toBeGreaterThan(0);
    expect(counted.removed).toBe(counted.added);
  });
});
