import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Environment, EnvironmentHandle, ProcessState } from '../../src/environments/environment.js';
import { local } from '../../src/environments/local.js';
import { killMarked } from '../../src/host/process/marked-processes.js';
import { killWhenFinished, uniqueSeconds } from '../host/processes.js';
import { newFolder } from '../host/temporary.js';

export const confirmed = (): Promise<void> => Promise.resolve();
export const PATH = '/usr/local/bin:/usr/bin:/bin';

/** The environment of a run and what it is created from. */
export interface Place {
  handle: EnvironmentHandle;
  fixture: string;
  /** The argument of `sleep` that identifies processes of this test. */
  seconds: string;
}

/** A place that is not prepared; its processes are killed after the test. */
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

/** A place with a workspace of an empty fixture and these files. */
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

/** The contents of the files below a folder, by path. */
export const filesOf = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .sort()
      .filter((path) => !lstatSync(join(root, path)).isDirectory())
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
