import type { ListedRun } from '../../../src/viewer/protocol.js';
import { cell } from '../../model/sample.js';

/** A run in the table, for tests to change. */
export const listedRun = (change: Partial<ListedRun> = {}): ListedRun => {
  const made = cell(change);
  return { look: made.outcome ?? 'waiting', ...made, ...change };
};
