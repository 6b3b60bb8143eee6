import { loadAccess, type RunAccess } from './access.js';
import type { RunRef, TurnRef } from '#protocol';
import type { Deps } from '../step/deps.js';
import { loadIdentity, type RunIdentity } from './identity.js';
import { loadPlaces, type RunPlaces } from './places.js';
import { loadSecrets, type RunSecrets } from './secrets.js';
import { loadVariables } from './values-of-run.js';

/** What every step of a run needs: a step publishes its result, in a place of the run, and nothing secret in it. */
export type LoadedRun = RunIdentity & RunPlaces & RunSecrets;

interface Loading {
  decidePlace?: boolean;
  turn?: TurnRef | undefined;
}

/**
 * Loads what a step needs to know about its run.
 * @throws ApplicationFailure (non-retryable) if the store is damaged, the command line did not start the run, or this
 * worker does not know the agent
 */
export async function loadRun(
  deps: Deps,
  run: RunRef,
  { decidePlace = false, turn }: Loading = {},
): Promise<LoadedRun> {
  const identity = await loadIdentity(deps, run, turn);
  const variables = await loadVariables(deps, identity);
  const places = await loadPlaces(deps, identity, variables, decidePlace);
  return { ...identity, ...places, ...(await loadSecrets(deps, identity, variables, places)) };
}

/** The same for a step that starts the agent or asks a model. */
export async function loadWithAccess(
  deps: Deps,
  run: RunRef,
  loading: Loading = {},
): Promise<LoadedRun & RunAccess> {
  const loaded = await loadRun(deps, run, loading);
  return { ...loaded, ...loadAccess(deps, loaded) };
}
