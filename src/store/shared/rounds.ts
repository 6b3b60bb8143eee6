import { endedObject, parseRoundMark, pausedObject, roundObject, ROUNDS } from './names.js';
import type { SharedProject } from './shared-project.js';

/** The rounds of a sweep that have begun and ended, in order. */
export interface Rounds {
  begun: number[];
  ended: number[];
  paused: boolean;
}

/** Returns the newest of some rounds; 0 if there is none. */
export const newestOf = (rounds: readonly number[]): number => rounds.reduce((a, b) => Math.max(a, b), 0);

/** Returns the rounds of all sweeps that were started. */
export async function roundsOfSweeps({ store }: SharedProject): Promise<Map<string, Rounds>> {
  const found = new Map<string, Rounds>();
  for (const name of await store.list(ROUNDS)) {
    const mark = parseRoundMark(name);
    if (mark === null) continue;
    const rounds = found.get(mark.sweep) ?? { begun: [], ended: [], paused: false };
    found.set(mark.sweep, rounds);
    if (mark.mark === 'paused') rounds.paused = true;
    else rounds[mark.mark].push(mark.round);
  }
  return found;
}

/** Returns the rounds of a sweep. */
export const roundsOf = async (project: SharedProject, sweep: string): Promise<Rounds> =>
  (await roundsOfSweeps(project)).get(sweep) ?? { begun: [], ended: [], paused: false };

export async function beginSharedRound({ store }: SharedProject, sweep: string, round: number): Promise<void> {
  await store.putOnce(roundObject(sweep, round), '');
}

export const endedRound = ({ store }: SharedProject, sweep: string, round: number): Promise<Buffer | null> =>
  store.get(endedObject(sweep, round));

/** Records whether a sweep is paused, for other machines. */
export const noteSharedPause = ({ store }: SharedProject, sweep: string, paused: boolean): Promise<void> =>
  paused ? store.put(pausedObject(sweep), '') : store.remove(pausedObject(sweep));
