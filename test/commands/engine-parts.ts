import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openRunsIn } from '../../src/client/follow/waiting-reason.js';
import { readEngineState, writeEngineState } from '../../src/engine/engine-state.js';
import { LOOPBACK } from '../../src/engine/server.js';
import { projectState } from '../../src/host/folders.js';
import { isAlive, type ProcessIdentity } from '../../src/host/process/process-identity.js';
import { runFiles, stateOfRun } from '../../src/store/results-folder.js';
import { killProcess } from '../host/processes.js';
import { until, type TestProject } from './project.js';

export type Part = 'keeper' | 'server' | 'worker';

/** The engine's state folder. */
export const stateOf = ({ results, state }: TestProject): string => projectState(results, state).folder;

/**
 * The process of a part of the engine, or null while there is none. The same as `engine status` reports, but without
 * starting a command for each check.
 */
export async function partOf(project: TestProject, part: Part): Promise<ProcessIdentity | null> {
  const state = await readEngineState(stateOf(project));
  const identity = state?.[part] ?? null;
  return identity !== null && isAlive(identity) ? identity : null;
}

/** Makes an engine prefer a port: writes the state of an engine that has stopped with its server on that port. */
export const preferPort = (project: TestProject, port: number): Promise<void> =>
  writeEngineState(stateOf(project), {
    phase: 'stopped',
    message: '',
    since: 0,
    build: '',
    protocol: 0,
    external: false,
    address: `${LOOPBACK}:${port}`,
    namespace: 'default',
    taskQueue: '',
    uiUrl: null,
    resultsPath: project.results,
    keeper: { pid: 0, start: '', boot: '' },
    server: null,
    worker: null,
    versions: { temporal: null, llm_tool_test: '' },
  });

/** Kills a part with SIGKILL and waits until it is dead. */
export async function kill(project: TestProject, part: Part): Promise<void> {
  const identity = await until(`a ${part}`, () => partOf(project, part));
  killProcess(identity.pid);
  await until(`death of the ${part}`, () => (isAlive(identity) ? null : true));
}

/** The lines that processes of a run have appended to a file of the project. */
export function linesIn(project: TestProject, file: string): string[] {
  const path = join(project.folder, file);
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}

export const untilLines = (project: TestProject, file: string, count: number, timeoutMs?: number): Promise<true> =>
  until(`${count} lines in ${file}`, () => (linesIn(project, file).length >= count ? true : null), timeoutMs);

/** Every file below the folders, with a hash of its content and the time of its last change. */
export function filesBelow(...folders: string[]): Record<string, string> {
  const files: Record<string, string> = {};
  for (const folder of folders) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      const path = join(folder, name);
      const { mtimeMs } = statSync(path);
      if (statSync(path).isFile())
        files[path] = `${createHash('sha256').update(readFileSync(path)).digest('hex')} at ${mtimeMs}`;
    }
  }
  return files;
}

/** Ids of the runs of a scenario that have begun. */
export const runsOf = (project: TestProject, scenario: string): string[] => {
  const open = openRunsIn(stateOf(project)).map(({ run }) => run);
  const known = existsSync(project.results) ? readdirSync(project.results) : [];
  return [...new Set([...open, ...known])].filter((name) => name.includes(`-${scenario}-`));
};

/** Folders that the state folder has for runs of a scenario. */
export const foldersOf = (project: TestProject, scenario: string): string[] =>
  runsOf(project, scenario).map((run) => stateOfRun(stateOf(project), run));

/**
 * Expects that the state folder keeps nothing of a scenario's runs but the output of their agents, and that no link
 * leads there.
 */
export function expectRemoved(project: TestProject, scenario: string): void {
  for (const folder of foldersOf(project, scenario))
    for (const gone of ['workspace', 'home', 'login', 'bin'])
      expect([folder, gone, existsSync(join(folder, gone))]).toEqual([folder, gone, false]);
  const links = runsOf(project, scenario).map((run) => runFiles(join(project.results, run)).workspace);
  expect(links.filter((link) => lstatSync(link, { throwIfNoEntry: false }) !== undefined)).toEqual([]);
  expect(readdirSync(join(stateOf(project), 'open-runs'))).toEqual([]);
}

/**
 * The paths below a folder while others remove some of them: Node's own recursive listing fails if a folder disappears.
 */
export const pathsBelow = (folder: string, path = ''): string[] =>
  entriesOf(join(folder, path)).flatMap((entry) => {
    const below = join(path, entry.name);
    return entry.isDirectory() ? [below, ...pathsBelow(folder, below)] : [below];
  });

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
