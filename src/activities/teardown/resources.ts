import { placeApart } from '../../environments/place-apart.js';
import type { Placed } from '../step/places-of-run.js';
import type { RunContext } from '../step/run-context.js';
import type { Resource } from './tear-down.js';

/** The places that are not folders of this machine. Those that are get removed when the run is cleaned up. */
const placesApart = (places: readonly Placed[]): Resource[] =>
  places.flatMap(({ environment, handle }) => {
    const apart = placeApart(handle);
    return apart === null ? [] : [{ ...apart, remove: () => environment.dispose(handle) }];
  });

/** Everything that was made for a run outside its folders on this machine. */
export const resourcesOf = ({
  environment,
  handle,
  judgeAgent,
}: Pick<RunContext, 'environment' | 'handle' | 'judgeAgent'>): Resource[] =>
  placesApart([
    ...(judgeAgent === null ? [] : [{ environment, handle: judgeAgent.handle }]),
    { environment, handle },
  ]);

/** The same for a run whose plan may be gone. */
export const resourcesIn = (places: readonly Placed[]): Resource[] => placesApart(places);
