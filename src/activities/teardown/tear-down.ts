import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { forgetLeftovers, type Leftover, noteLeftovers, readLeftovers, readSweepEnv } from '#host';
import { createRedactor, endOf, messageOf } from '#lib';
import type { RunRef } from '#protocol';
import { remotePlace } from '#environments';
import { stateOfRun } from '#store';
import type { Deps } from '../step/deps.js';
import { databaseResources } from '../databases/make-databases.js';
import { placesOfRun } from '../run/places.js';
import { openRuns } from '../step/open-runs.js';
import type { PlacedRun, RunIdentity, RunPlaces, RunSecrets } from '../run/context.js';

/** Something that was made for a run outside its folders on this machine: a container, a database. */
export interface Resource {
  /** The name, for people: `docker container NAME`. */
  name: string;
  /** Tells a person how to remove it. */
  remedy: string;
  /** Removes it. Does nothing if it is gone. */
  remove: () => Promise<void>;
}

/** Short, because a run's result must not wait long for what its result does not need. */
const TRIES = { pausesMs: [500, 1500], limitMs: 20_000 };
const REASON_LENGTH = 300;

/**
 * Removes resources of a run, which may be gone already. What cannot be removed is noted, so that it is tried again
 * when the run is cleaned up and when the engine starts, and that `doctor` shows it. Returns it. Never rejects because
 * of a resource.
 */
export async function tearDown(
  { stateFolder }: Pick<Deps, 'stateFolder'>,
  { run, sweep }: Pick<RunRef, 'run' | 'sweep'>,
  resources: readonly Resource[],
  redact: (text: string) => string,
  tries = TRIES,
): Promise<Leftover[]> {
  const reasons = await Promise.all(resources.map((resource) => tryToRemove(resource, tries)));
  const left = resources.flatMap(({ name, remedy }, index): Leftover[] => {
    const reason = reasons[index] ?? null;
    return reason === null ? [] : [{ name, reason: endOf(redact(reason), REASON_LENGTH), remedy }];
  });
  if (left.length === 0) forgetLeftovers(stateFolder, run);
  else await noteLeftovers(stateFolder, { sweep, run, at: new Date().toISOString(), left });
  return left;
}

/** Returns null if the resource is gone, or why it is not. */
async function tryToRemove({ remove }: Resource, { pausesMs, limitMs }: typeof TRIES): Promise<string | null> {
  const late = new AbortController();
  // A daemon or server may never answer. What it does later does no harm.
  const limit = sleep(limitMs, `no answer within ${limitMs / 1000} s`, { signal: late.signal });
  limit.catch(() => undefined);
  const trying = async (): Promise<string | null> => {
    for (const pauseMs of [...pausesMs, null]) {
      const reason = await remove().then(
        () => null,
        (error: unknown) => messageOf(error),
      );
      if (reason === null || pauseMs === null) return reason;
      await sleep(pauseMs, undefined, { signal: late.signal }).catch(() => undefined);
      if (late.signal.aborted) return reason;
    }
    return null;
  };
  try {
    return await Promise.race([trying(), limit]);
  } finally {
    late.abort();
  }
}

/** The report's warning about a resource that could not be removed. */
export const leftoverWarning = ({ name, reason, remedy }: Leftover): string =>
  `could not be removed: ${name}: ${reason}; it is tried again when the engine starts, or remove it yourself: ${remedy}`;

/**
 * Everything that was made for a run outside its folders on this machine. `state`: the run's private folder; `values`:
 * those of the variables in the addresses of servers.
 */
const resourcesIn = async (
  places: readonly PlacedRun[],
  state: string,
  values: Readonly<Record<string, string | undefined>>,
): Promise<Resource[]> => [
  ...places.flatMap(({ environment, handle }) => {
    const apart = remotePlace(handle);
    return apart === null ? [] : [{ ...apart, remove: () => environment.dispose(handle) }];
  }),
  ...(await databaseResources(state, values)),
];

/** The same for a run whose plan is there. */
export const resourcesOf = ({
  environment,
  handle,
  judgeAgent,
  state,
  values,
}: Pick<RunIdentity, 'state'> &
  Pick<RunPlaces, 'environment' | 'handle' | 'judgeAgent'> &
  Pick<RunSecrets, 'values'>): Promise<Resource[]> =>
  resourcesIn(
    [...(judgeAgent === null ? [] : [judgeAgent.handle]), handle].map((each) => ({
      environment,
      handle: each,
    })),
    state,
    values,
  );

/** Tears down what is left of a run, even if its plan is gone. Returns what still could not be removed. */
export async function tearDownAgain(
  deps: Pick<Deps, 'stateFolder' | 'environment'>,
  run: Pick<RunRef, 'run' | 'sweep'>,
): Promise<Leftover[]> {
  const passed = (await readSweepEnv(deps.stateFolder, run.sweep).catch(() => null))?.values;
  const redact = createRedactor({ secrets: Object.values(passed ?? {}) });
  // The end of a sweep removes the values that it was given.
  const values = passed ?? deps.environment?.() ?? process.env;
  const state = stateOfRun(deps.stateFolder, run.run);
  return tearDown(deps, run, await resourcesIn(await placesOfRun(deps, run), state, values), redact);
}

/**
 * Tears down again what is left of runs that have ended. Calls `warn` for each of them of which something is still
 * left. A run that is open cleans up by itself, and one whose private state was deleted has nothing that says what to
 * remove.
 */
export async function tearDownLeftovers(deps: Deps, warn: (line: string) => void): Promise<void> {
  const open = new Set((await openRuns(deps)).map(({ run }) => run));
  for (const { run, sweep } of await readLeftovers(deps.stateFolder)) {
    if (open.has(run) || !existsSync(stateOfRun(deps.stateFolder, run))) continue;
    for (const { name, reason } of await tearDownAgain(deps, { run, sweep }))
      warn(`${run}: ${name} could not be removed: ${reason}`);
  }
}
