import { basename } from 'node:path';
import type { Agent } from '#agents';
import { packAgent, PACKED_BIN, type Place } from '#environments';
import { findExecutable } from '#host';
import type { RunIdentity } from './context.js';

/**
 * Packs the agent of a run that takes place in a container, so that it is mounted there. Without it, tasks cannot be
 * run; other images may have their own. `openRun`: the file that is there until the run is over.
 */
export async function withAgent(
  place: Place,
  agent: Agent,
  { task }: RunIdentity['scenario'],
  path: string | undefined,
  openRun: string,
): Promise<Place> {
  if (place.container === undefined || place.lacking !== null || agent.mountable !== true) return place;
  const program = findExecutable(agent.program, path);
  const packed =
    program === null
      ? { why: `${agent.program} was not found on this machine` }
      : await packAgent(program, path, openRun);
  if ('folder' in packed) return { ...place, container: { ...place.container, layer: packed.folder } };
  return task === undefined
    ? place
    : { ...place, lacking: `the agent ${agent.name} cannot be mounted into the container: ${packed.why}` };
}

/** The name by which an agent is found in its container, if it is mounted there. */
export const mountedCommand = ({ container }: Place, { program }: Agent): string | undefined =>
  container?.layer === undefined ? undefined : basename(program);

/**
 * PATH in a container. A task is run with the agent of this machine, whatever its image has; in other images, their own
 * counts.
 */
export function pathWithAgent(
  path: string | undefined,
  { container }: Place,
  { task }: RunIdentity['scenario'],
): string | undefined {
  if (container?.layer === undefined || path === undefined) return path;
  return task === undefined ? `${path}:${PACKED_BIN}` : `${PACKED_BIN}:${path}`;
}
