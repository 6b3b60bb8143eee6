import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { createProject, EMPTY_FIXTURE, type ProjectOptions, type TestProject } from '../commands/project.js';

/** Mounting a small file system requires root, which CI has. */
export const canMount = process.getuid?.() === 0 && process.platform === 'linux';

async function mountSmall(path: string, size = '32m'): Promise<void> {
  await mkdir(path, { recursive: true });
  await execa('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', path]);
}
const unmount = (path: string): Promise<unknown> => execa('umount', ['-l', path], { reject: false });

const ballast = (disk: string): string => join(disk, 'ballast');

/** Fills a small disk. */
export const fill = (disk: string): Promise<unknown> =>
  writeFile(ballast(disk), Buffer.alloc(64 * 1024 * 1024)).catch(() => undefined);

/** Makes a disk read-only. Fails while files on it are open for writing, as the server's are. */
export const forbid = (disk: string): Promise<unknown> => execa('mount', ['-o', 'remount,ro', disk]);

/** Undoes `fill` and `forbid`. */
export async function mend(disk: string): Promise<void> {
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

export async function onSmallDisks(
  files: Record<string, string> = {},
  options: ProjectOptions = { ownServer: true },
): Promise<Small> {
  const project = await createProject({ ...EMPTY_FIXTURE, ...files }, { ownEngine: true, ...options });
  const [state, results] = [join(project.folder, 'disk-state'), join(project.folder, 'disk-results')];
  for (const disk of [state, results]) await mountSmall(disk);
  const start: Small['start'] = (args, env = {}) =>
    project.start([...args, '--results', results], { ...env, LLM_TOOL_TEST_HOME: state });
  return {
    ...{ project, state, results, start },
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
