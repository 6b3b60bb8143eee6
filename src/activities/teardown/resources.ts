import { placeApart } from '#environments';
import { databaseResources } from '../databases/database-resources.js';
import type { Placed } from '../step/places-of-run.js';
import type { RunContext } from '../step/run-context.js';
import type { Resource } from './tear-down.js';

/**
 * Everything that was made for a run outside its folders on this machine. `state`: the run's private folder; `values`:
 * those of the variables in the addresses of servers.
 */
export const resourcesIn = async (
  places: readonly Placed[],
  state: string,
  values: Readonly<Record<string, string | undefined>>,
): Promise<Resource[]> => [
  ...places.flatMap(({ environment, handle }) => {
    const apart = placeApart(handle);
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
}: Pick<RunContext, 'environment' | 'handle' | 'judgeAgent' | 'state' | 'values'>): Promise<Resource[]> =>
  resourcesIn(
    [...(judgeAgent === null ? [] : [judgeAgent.handle]), handle].map((each) => ({
      environment,
      handle: each,
    })),
    state,
    values,
  );
