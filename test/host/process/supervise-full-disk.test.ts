import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { markedProcesses } from '../../../src/host/process/marked-processes.js';
import { inspect, startSupervised, stopSupervised } from '../../../src/host/process/supervise.js';
import { waitUntil } from '../../../src/host/process/waiting.js';
import { allGone, readProc } from '../processes.js';
import { inEachMode, LONG_MS, nothingLeft, prepare, start, type Started } from '../supervised.js';

const mount = (...args: string[]) => execa('mount', args);

/** The reason why no file system can be mounted here; null if one can. */
const obstacle = ((): string | null => {
  const { status, stderr, error } = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']);
  return status === 0 ? null : (error?.message ?? String(stderr).trim());
})();

/** Prepares an agent with a separate file system as its folder. */
async function prepareSmall(shell: string, size: string, deadlineSecs?: number): Promise<Started> {
  const agent = await prepare(shell, deadlineSecs === undefined ? {} : { deadlineSecs });
  await mkdir(agent.folder);
  await mount('-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', agent.folder);
  onTestFinished(() => void spawnSync('umount', ['--lazy', agent.folder]));
  return agent;
}

async function startSmall(shell: string, deadlineSecs?: number): Promise<Started> {
  const agent = await prepareSmall(shell, '64k', deadlineSecs);
  await startSupervised(agent);
  return agent;
}

const fill = ({ folder }: Started): Promise<void> =>
  expect(writeFile(join(folder, 'ballast'), Buffer.alloc(1024 * 1024))).rejects.toThrow('ENOSPC');

const WAIT = 'until [ -e go ]; do sleep 0.02; done';
const letGo = ({ cwd }: Started): Promise<void> => writeFile(join(cwd, 'go'), '');

/** True if the supervisor is waiting a second before it tries to write again. */
const triesAgain = ({ mark }: Started): true | null =>
  markedProcesses(mark).some((pid) => readProc(pid, 'cmdline') === 'sleep\x001\0') || null;

describe.skipIf(obstacle !== null)('on a full disk', () => {
  inEachMode((test) => {
    test('is not started, and the error gives the reason', async () => {
      const agent = await prepareSmall('echo start >starts', '64k');
      await fill(agent);
      await expect(startSupervised(agent)).rejects.toMatchObject({ code: 'ENOSPC' });
      expect(await inspect(agent.folder)).toEqual({ state: 'none' });
      await rm(join(agent.folder, 'ballast'));
      await startSupervised(agent);
      expect(await agent.end()).toMatchObject({ exitCode: 0 });
      expect(readFileSync(join(agent.cwd, 'starts'), 'utf8')).toBe('start\n');
    });

    test('is not started if there is no room for the claim, and the error says so', async () => {
      const agent = await prepareSmall('echo start >starts', '16k'); // room for the four files written before
      await expect(startSupervised(agent)).rejects.toThrow('the claim could not be written');
      expect(await inspect(agent.folder)).toEqual({ state: 'none' });
      expect(existsSync(join(agent.cwd, 'starts'))).toBe(false);
      await mount('-o', 'remount,size=64k', agent.folder);
      await startSupervised(agent);
      expect(await agent.end()).toMatchObject({ exitCode: 0 });
    });

    test('its exit status is still recorded', async () => {
      const agent = await startSmall(`${WAIT}; exit 7`);
      await fill(agent);
      await letGo(agent);
      expect(await agent.end()).toEqual({ state: 'ended', exitCode: 7, stopped: null });
      expect(await nothingLeft(agent)).toBe(true);
    });

    test('waits with what it prints until there is room, and none of it is lost', async () => {
      const agent = await startSmall(`${WAIT}; head -c 40000 /dev/zero | tr '\\0' o; echo; echo written >up; exit 7`);
      await fill(agent);
      await letGo(agent);
      const written = (): true | null => existsSync(join(agent.cwd, 'up')) || null;
      await waitUntil(written, LONG_MS, 10);
      await rm(join(agent.folder, 'ballast'));
      expect(await agent.end()).toMatchObject({ exitCode: 7 });
      expect(agent.out()).toBe(`${'o'.repeat(40_000)}\n`);
    });

    test('can be cancelled, and this is recorded', async () => {
      const agent = await startSmall('sleep $S');
      await fill(agent);
      expect(await stopSupervised(agent.folder, 'cancel')).toMatchObject({
        state: 'ended',
        stopped: 'cancel',
      });
      expect(await nothingLeft(agent)).toBe(true);
    });

    test('is ended at its deadline, and this is recorded', async () => {
      const agent = await startSmall('sleep $S', 1.5);
      await fill(agent);
      expect(await agent.end()).toMatchObject({ state: 'ended', stopped: 'deadline' });
      expect(await nothingLeft(agent)).toBe(true);
    });
  });
});

if (obstacle !== null) it.skip(`no small disk can be mounted here: ${obstacle}`);

describe('if its end cannot be written for a while', () => {
  /** Starts an agent; its files `exit` and `stop` cannot be written until the folder `away` is created. */
  async function startUnwritable(shell: string): Promise<Started & { away: string }> {
    const agent = await start(`echo up >up; ${shell}`);
    await waitUntil(() => existsSync(join(agent.cwd, 'up')) || null, LONG_MS, 10);
    const away = join(agent.cwd, 'away');
    for (const name of ['exit', 'stop']) {
      await rm(join(agent.folder, name), { force: true });
      await symlink(join(away, name), join(agent.folder, name));
    }
    return { ...agent, away };
  }

  inEachMode((test) => {
    test('its exit status is recorded later', async () => {
      const agent = await startUnwritable(`${WAIT}; exit 7`);
      await letGo(agent);
      expect(await waitUntil(() => triesAgain(agent), LONG_MS, 10)).toBe(true);
      expect(await inspect(agent.folder)).toEqual({ state: 'running' });
      await mkdir(agent.away);
      expect(await agent.end()).toEqual({ state: 'ended', exitCode: 7, stopped: null });
      expect(await nothingLeft(agent)).toBe(true);
    });

    test('a cancel ends it at once, and is recorded later', async () => {
      const agent = await startUnwritable('exec sleep $S');
      const stopped = stopSupervised(agent.folder, 'cancel');
      expect(await waitUntil(() => triesAgain(agent), LONG_MS, 10)).toBe(true);
      expect(await allGone(`sleep\0${agent.seconds}`)).toBe(true);
      await mkdir(agent.away);
      expect(await stopped).toMatchObject({ state: 'ended', stopped: 'cancel' });
      expect(await nothingLeft(agent)).toBe(true);
    });

    test('its supervisor gives up if the folder is gone', async () => {
      const agent = await startUnwritable(WAIT);
      await rm(agent.folder, { recursive: true });
      await letGo(agent);
      expect(await allGone(agent.folder, LONG_MS)).toBe(true);
    });
  });
});
