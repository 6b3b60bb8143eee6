import { setTimeout as sleep } from 'node:timers/promises';
import { forgetLeftovers, type Leftover, noteLeftovers } from '#host';
import { endOf } from '#lib';
import type { RunRef } from '#protocol';
import type { Deps } from '../step/deps.js';

/** Something that was made for a run outside its folders on this machine: a container, a database. */
export interface Resource {
  /** What it is, for people: `docker container NAME`. */
  name: string;
  /** How a person can remove it. */
  remedy: string;
  /** Removes it. Does nothing if it is gone. */
  remove: () => Promise<void>;
}

/** Short, because a run's result must not wait long for what its result does not need. */
const TRIES = { pausesMs: [500, 1500], limitMs: 20_000 };
const REASON_LENGTH = 300;

/**
 * Removes resources of a run, which may be gone already. What cannot be removed is noted, so that it is tried again when
 * the run is cleaned up and when the engine starts, and that `doctor` shows it. Returns it. Never rejects because of a
 * resource.
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
async function tryToRemove(
  { remove }: Resource,
  { pausesMs, limitMs }: typeof TRIES,
): Promise<string | null> {
  const late = new AbortController();
  // A daemon or server may never answer. What it does later does no harm.
  const limit = sleep(limitMs, `no answer within ${limitMs / 1000} s`, { signal: late.signal });
  limit.catch(() => undefined);
  const trying = async (): Promise<string | null> => {
    for (const pauseMs of [...pausesMs, null]) {
      const reason = await remove().then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
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

/** What the report says about a resource that could not be removed. */
export const leftoverWarning = ({ name, reason, remedy }: Leftover): string =>
  `could not be removed: ${name}: ${reason}; it is tried again when the engine starts, or remove it yourself: ${remedy}`;
