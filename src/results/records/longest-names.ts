import type { Cell } from './cell.js';

/** In bytes: what databases behind Temporal take of a search attribute, and file systems of a name. */
export const LONGEST_NAME = 255;
/** In bytes: what Temporal takes of a workflow's id. */
const LONGEST_ID = 1000;
/** `sweep/<id of the sweep>/` before a cell's id, and `/r<round>` after it. */
const AROUND_CELL = 'sweep/'.length + 60 + '-0123456789ab/'.length + '/r99999'.length;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export const isTooLong = (name: string): boolean => bytesOf(name) > LONGEST_NAME;

/** Why no run of a cell could be started; null where it can. */
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
