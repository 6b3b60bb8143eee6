import { join } from 'node:path';
import { readJsonIfThere, writeFileAtomic } from '#host';
import type { HostRequest } from './hosted.js';

/** A turn to perform. */
export interface Turn {
  request: HostRequest;
  /** Key of the provider of the cell's model; empty for none. */
  key: string;
  /** Values of variables that the setup refers to. */
  variables: Record<string, string>;
  /** The state after the turn before; null before the first turn. */
  before: unknown;
}

/** The failure of a turn. `status`: the HTTP status of the provider. */
export interface TurnFailure {
  message: string;
  status?: number;
}

/** The end of a turn. A turn that failed and left no state was not answered, and can be performed again. */
export type EndedTurn = { state: unknown; failed: TurnFailure | null } | { state: null; failed: TurnFailure };

export type PerformTurn = (turn: Turn) => Promise<EndedTurn>;

type Place = Pick<HostRequest, 'states' | 'turn'>;

const fileOf = (states: string, turn: number): string => join(states, `${turn}.json`);

/** Returns how this turn ended in an earlier start, which was lost before it could say so; null if it has not ended. */
export const endOfTurn = ({ states, turn }: Place): Promise<EndedTurn | null> =>
  readJsonIfThere<EndedTurn>(fileOf(states, turn));

/**
 * Returns the state after the turn before; null before the first turn.
 * @throws if it is missing
 */
export async function stateBefore({ states, turn }: Place): Promise<unknown> {
  if (turn === 1) return null;
  const before = await endOfTurn({ states, turn: turn - 1 });
  if (before === null) throw new Error(`session not found: the state after turn ${turn - 1} is missing`);
  return before.state;
}

/** Records how the turn ended. From now on it is not performed again. */
export const saveTurn = ({ states, turn }: Place, ended: EndedTurn): Promise<void> =>
  writeFileAtomic(fileOf(states, turn), JSON.stringify(ended), 0o600);
