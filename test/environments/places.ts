import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Environment, EnvironmentHandle, ProcessState } from '../../src/environments/environment.js';
import { local } from '../../src/environments/local.js';
import { killMarked } from '../../src/platform/process/marked-processes.js';
import { killWhenFinished, uniqueSeconds } from '../platform/processes.js';
import { newFolder } from '../platform/temporary.js';

export const confirmed = (): Promise<void> => Promise.resolve();
export const PATH = '/usr/local/bin:/usr/bin:/bin';

/** A run's environment and what it is made from. */
export interface Place {
  handle: EnvironmentHandle;
  fixture: string;
  /** What a `sleep` of this test waits for, to find it again. */
  seconds: string;
}

/** One that is not prepared; what it has started is killed when the test is over. */
export async function newPlace(): Promise<Place> {
  const root = await newFolder();
  const seconds = uniqueSeconds();
  const mark = `run-${seconds}`;
  killWhenFinished(seconds);
  onTestFinished(() => killMarked(mark));
  const fixture = join(root, 'snapshot');
  mkdirSync(fixture);
  const handle: EnvironmentHandle = {
    type: 'local',
    root: join(root, 'run'),
    workspace: join(root, 'run', 'fixture'),
    journal: join(root, 'run', 'agent'),
    mark,
    hidden: [],
    project: null,
  };
  mkdirSync(handle.root);
  return { handle, fixture, seconds };
}

/** One whose workspace is made of an empty fixture and these files. */
export async function prepared(files: Record<string, string> = {}): Promise<Place> {
  const place = await newPlace();
  await local.prepare(place.handle, { fixture: place.fixture, files, programs: {} }, confirmed);
  return place;
}

/** Ends the first start of the agent, as a cancelled run does. */
export async function killed(environment: Environment, handle: EnvironmentHandle): Promise<ProcessState> {
  await environment.kill(handle, { start: 1, reason: 'cancel' });
  return environment.inspect(handle, 1);
}

export const write = (root: string, files: Record<string, string>): void => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
  }
};

/** What is in the files below a folder, by their paths. */
export const filesOf = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .sort()
      .filter((path) => !lstatSync(join(root, path)).isDirectory())
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
