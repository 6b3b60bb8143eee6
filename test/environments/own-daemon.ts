import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExecutable } from '../../src/host/process/find-deno.js';
import { waitUntil } from '../../src/host/process/waiting.js';
import { killProcess, processesWith } from '../host/processes.js';

/** A Docker daemon of a test, which may kill it. */
export interface OwnDaemon {
  /** The value of DOCKER_HOST. */
  host: string;
  /** Kills the daemon with SIGKILL; its containers go on. */
  kill(): Promise<void>;
  /** Kills the daemon with everything that it has started, as the end of its machine does. */
  killAll(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Returns why no daemon can be started here; null if one can. */
export const whyNoDaemon = (): string | null =>
  process.getuid?.() !== 0 ? 'a Docker daemon needs root' : findExecutable('dockerd') === null ? 'no dockerd' : null;

/** A busy machine needs minutes to clean up what a killed daemon has left. */
const START_MS = 600_000;

/** Starts a daemon without networks, as `.ci/with-docker` does. */
export async function startDaemon(): Promise<OwnDaemon> {
  const folder = mkdtempSync(join(tmpdir(), 'ltt-docker-'));
  const host = `unix://${folder}/socket`;
  const state: { child: ChildProcess | null } = { child: null };
  const answers = (): boolean =>
    spawnSync('docker', ['--host', host, 'ps'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
  const daemon: OwnDaemon = {
    host,
    async start() {
      const where = ['--data-root', `${folder}/data`, '--exec-root', `${folder}/exec`, '--pidfile', `${folder}/pid`];
      const alone = ['--iptables=false', '--ip6tables=false', '--bridge=none'];
      rmSync(`${folder}/pid`, { force: true });
      // A daemon waits for the containerd that this file names, also if it is dead.
      if (processesWith(`${folder}/exec/containerd/containerd.toml`).length === 0)
        rmSync(`${folder}/exec/containerd/containerd.pid`, { force: true });
      const child = spawn('dockerd', [...alone, ...where, '--host', host], { stdio: ['ignore', 'pipe', 'pipe'] });
      state.child = child;
      const log = createWriteStream(`${folder}/log`, { flags: 'a' });
      child.stdout.pipe(log, { end: false });
      child.stderr.pipe(log, { end: false });
      const ready = await waitUntil(() => (answers() || child.exitCode !== null ? true : null), START_MS, 250);
      if (ready !== null && child.exitCode === null) return;
      throw new Error(`dockerd did not start: ${readFileSync(`${folder}/log`, 'utf8').slice(-500)}`);
    },
    async kill() {
      const { child } = state;
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
    async killAll() {
      await daemon.kill();
      // Shims name the socket of their containerd, and die with their containers.
      for (const pid of processesWith(`${folder}/exec`)) {
        const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
        for (const child of [...children.stdout.split('\n').map(Number), pid]) if (child > 0) killProcess(child);
      }
    },
    async remove() {
      await daemon.killAll();
      const mounts = readFileSync('/proc/mounts', 'utf8')
        .split('\n')
        .map((line) => line.split(' ')[1] ?? '');
      for (const mount of mounts.filter((one) => one.startsWith(`${folder}/`)).reverse())
        spawnSync('umount', ['--lazy', mount]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await daemon.start();
  return daemon;
}
