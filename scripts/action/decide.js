/**
 * Decides whether the job fails, by the exit codes of `run` and `compare --gate`. With a margin, the sweep must be
 * shown to be within it.
 * @param {{run: number, compare: number | null, failOnFailure: boolean, failOnWorse: boolean, hasMargin?: boolean}}
 *   codes `compare` is null without a base
 * @returns {string} the reason; empty if the job does not fail
 */
export function decide({ run, compare, failOnFailure, failOnWorse, hasMargin = false }) {
  if (run === 130) return 'the sweep was interrupted';
  if (run > 1) return 'a cell ended with an error or was cancelled';
  if (failOnWorse && compare === 1) return 'the sweep is worse than that of the base branch';
  if (run === 1 && failOnFailure) return 'a cell failed';
  if (failOnWorse && hasMargin && compare === 4)
    return 'the runs are too few to show that the loss is within the margin';
  if (failOnWorse && compare !== null && ![0, 1, 4].includes(compare))
    return 'the comparison with the base branch was not tested; the summary says why';
  return '';
}

/**
 * Names the sweep of a shard, such as `2/5`.
 * @param {string} shard
 */
export const shardName = (shard) => `shard-${shard.replace('/', '-of-')}`;

/**
 * Finds the newest completed sweep that is not one of a shard. A job that merges shards may be interrupted before it
 * has made a whole sweep of them.
 * @param {{id: string, status: string}[]} sweeps newest first
 */
export const newestWhole = (sweeps) =>
  sweeps.find(({ id, status }) => status === 'completed' && !/^shard-\d+-of-\d+-[0-9a-f]+$/.test(id));
