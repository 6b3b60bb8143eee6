import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Limits } from '../../src/lib/limits.js';
import { createProject, EMPTY_FIXTURE, type ProjectOptions, type TestProject } from '../commands/project.js';

/** Mounting a small file system requires root, which CI has. */
export const canMount = process.getuid?.() === 0 && process.platform === 'linux';

async function mountSmall(path: string, size = '32m'): Promise<void> {
  await mkdir(path, { recursive: true });
  await execa('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', path]);
}
const unmount = (path: string): Promise<unknown> => execa('umount', ['-l', path], { reject: false });

const ballast = (disk: string): string => join(disk, 'ballast');

const PAGE = Buffer.alloc(4096);
const FILL_MS = 5;

/**
 * Fills a small disk and keeps it full until it is mended: whatever is removed, truncated or replaced meanwhile would
 * make room for something else.
 */
export function fill(disk: string): void {
  const topUp = (): void => {
    const file = openSync(ballast(disk), 'a');
    try {
      for (;;) writeSync(file, PAGE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  };
  topUp();
  filling.set(disk, setInterval(topUp, FILL_MS));
}
const filling = new Map<string, NodeJS.Timeout>();

/** Makes a disk read-only. Fails while files on it are open for writing, as the server's are. */
export const forbid = (disk: string): Promise<unknown> => execa('mount', ['-o', 'remount,ro', disk]);

/** Undoes `fill` and `forbid`. */
export async function mend(disk: string): Promise<void> {
  clearInterval(filling.get(disk));
  await execa('mount', ['-o', 'remount,rw', disk], { reject: false });
  await rm(ballast(disk), { force: true });
}

/** A project whose state and results are on file systems of their own. */
export interface Small {
  project: TestProject;
  state: string;
  results: string;
  /** Starts the command line with these folders. */
  start: (args: string[], env?: Record<string, string>) => ReturnType<TestProject['start']>;
  remove: () => Promise<void>;
}

/** Anything that waits for a disk tries again soon, and `doctor` has time on a busy machine. */
const SOON: Partial<Limits> = { waitedOutMs: 1000, retryMs: 1000, engineRetryMs: 1000, doctorMs: 120_000 };

export async function onSmallDisks(
  files: Record<string, string> = {},
  { limits = {}, ...options }: ProjectOptions & { limits?: Partial<Limits> } = { ownServer: true },
): Promise<Small> {
  const project = await createProject({ ...EMPTY_FIXTURE, ...files }, { ownEngine: true, ...options });
  const [state, results] = [join(project.folder, 'disk-state'), join(project.folder, 'disk-results')];
  for (const disk of [state, results]) await mountSmall(disk);
  const own = { LLM_TOOL_TEST_HOME: state, LLM_TOOL_TEST_LIMITS: JSON.stringify({ ...SOON, ...limits }) };
  const start: Small['start'] = (args, env = {}) => project.start([...args, '--results', results], { ...env, ...own });
  return {
    project,
    state,
    results,
    start,
    async remove() {
      for (const disk of [state, results]) await mend(disk);
      await start(['engine', 'stop']);
      for (const disk of [state, results]) await unmount(disk);
      await project.remove();
    },
  };
}

/** The disks of a project that cannot be written, by name of the case. */
export const DISKS = {
  state: ({ state }: Small) => [state],
  results: ({ results }: Small) => [results],
  both: ({ state, results }: Small) => [state, results],
};

/** Returns a function that returns what a command has printed to stderr so far. */
export function collectStderr(command: ReturnType<TestProject['start']>): () => string {
  let all = '';
  command.stderr.on('data', (text: Buffer) => (all += text.toString()));
  return () => all;
}
