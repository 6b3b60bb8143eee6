import type { Cell } from './cell.js';

/** In bytes: the limit for a search attribute in the databases behind Temporal, and for a file name. */
export const LONGEST_NAME = 255;
/** In bytes: Temporal's limit for a workflow id. */
const LONGEST_ID = 1000;
/** Bytes around a cell's id in a workflow id: `sweep/<id of the sweep>/` before it, `/r<round>` after it. */
const AROUND_CELL = 'sweep/'.length + 60 + '-0123456789ab/'.length + '/r99999'.length;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export const isTooLong = (name: string): boolean => bytesOf(name) > LONGEST_NAME;

/** Returns why no run of a cell could be started; null if its names are short enough. */
export function tooLongCell({ id, scenario, agent, model, variant }: Cell): string | null {
  const names = { scenario, agent, model, variant };
  for (const [what, name] of Object.entries(names))
    if (isTooLong(name))
      return `the name of the ${what} has ${bytesOf(name)} bytes; the limit is ${LONGEST_NAME}: ${name.slice(0, 40)}…`;
  const most = LONGEST_ID - AROUND_CELL;
  return id.length <= most
    ? null
    : `the names of scenario, agent, model and variant have ${id.length} bytes together, where each character other than letters and digits counts up to 9; the limit is ${most}: ${id.slice(0, 80)}…`;
}
