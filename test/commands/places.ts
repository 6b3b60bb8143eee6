import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { inject } from 'vitest';
import { readEngineState } from '../../src/engine/engine-state.js';
import { stopEngine } from '../../src/engine/ensure-engine.js';
import { projectState } from '../../src/host/folders.js';
import { isAlive } from '../../src/host/process/process-identity.js';
import { planFile, summaryFile, sweepsFolder } from '../../src/store/results-folder.js';

/** The location of a test's project: its folder and its state folder. */
export interface Place {
  folder: string;
  state: string;
}

export const resultsOf = ({ folder }: Place): string => join(folder, 'llm-tool-test-results');
const stateOf = (place: Place): string => projectState(resultsOf(place), place.state).folder;

/**
 * Places that test files in this process have given back, with running engines: an engine belongs to the path of a
 * results folder, and takes longer to start than most tests. test/global-setup.ts ends the engines.
 */
const free: Place[] = [];
/** Places with an engine that was running when they were given back. */
const served = new Set<Place>();

/** An empty place; its engine may already be running. */
export async function takePlace(): Promise<Place> {
  const place = free.pop();
  if (place !== undefined) return place;
  const places = inject('places');
  return { folder: await mkdtemp(join(places, 'project-')), state: await mkdtemp(join(places, 'state-')) };
}

/** The files of a running engine in its state folder, apart from those of runs. */
const OF_THE_ENGINE = /^(engine\.|logs$|origin\.key$|worker|last-used$)/;

/** Empties a place for the next test file. It is removed if its engine cannot be used again. */
export async function giveBack(place: Place): Promise<void> {
  const state = stateOf(place);
  if (served.has(place) && !existsSync(join(state, 'origin.key')))
    throw new Error('a test has removed the state of an engine that it shares: it needs one of its own');
  if (!(await isUsable(place))) return removePlace(place);
  await empty(place.folder);
  await empty(place.state, (name) => name === basename(state));
  if (existsSync(state)) {
    await empty(state, (name) => OF_THE_ENGINE.test(name));
    served.add(place);
  }
  free.push(place);
}

/** Stops the engine of a place and removes the place. */
export async function removePlace(place: Place): Promise<void> {
  await stopEngine(stateOf(place));
  await rm(place.folder, { recursive: true, force: true });
  await rm(place.state, { recursive: true, force: true });
}

/** No engine was started, or it is up and has nothing left to do. */
async function isUsable(place: Place): Promise<boolean> {
  const engine = await readEngineState(stateOf(place));
  if (engine === null) return !existsSync(stateOf(place));
  const { phase, keeper, worker, address } = engine;
  const isUp = phase === 'ready' && isAlive(keeper) && worker !== null && isAlive(worker);
  return isUp && address === inject('temporalAddress') && !(await hasOpenSweep(resultsOf(place)));
}

async function hasOpenSweep(results: string): Promise<boolean> {
  const sweeps = await readdir(sweepsFolder(results)).catch(() => []);
  return sweeps.some((sweep) => existsSync(planFile(results, sweep)) && !existsSync(summaryFile(results, sweep)));
}

async function empty(folder: string, isKept: (name: string) => boolean = () => false): Promise<void> {
  for (const name of await readdir(folder))
    if (!isKept(name)) await rm(join(folder, name), { recursive: true, force: true });
}
