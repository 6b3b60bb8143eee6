import { calibrationFields, type ComparisonOptions, judgeWarnings, rankAgents, type Ranking } from '#decide';
import { UsageError } from '#lib';
import { sweepToCompare } from './comparison-of.js';
import { calibrationsOf, reviewReader } from './judged-runs.js';
import { readLog } from './read-records.js';
import { readToCompare } from './read-to-compare.js';

/**
 * Ranks the agents of a sweep, using only the files.
 *
 * @throws UsageError if there is no such sweep, or it has a single agent and model
 */
export async function rankingOf(
  resultsPath: string,
  id: string,
  { warn, ...options }: ComparisonOptions & { warn: (text: string) => void },
): Promise<Ranking> {
  const plan = await sweepToCompare(resultsPath, id);
  const names = new Set(plan.cells.map(({ agent, model }) => `${agent}/${model}`));
  if (names.size < 2)
    throw new UsageError(
      'usage',
      `${plan.sweep} has a single agent and model, ${[...names].join('')}; run several in one sweep: run --agents a,b --models x,y`,
    );
  const results = readLog(resultsPath, warn);
  const sweep = await readToCompare(resultsPath, plan, results, warn);
  const ranking = rankAgents(sweep, options);
  const calibrations = calibrationsOf(
    resultsPath,
    sweep,
    results,
    reviewReader(resultsPath, results, () => undefined),
  );
  return {
    ...ranking,
    ...calibrationFields(calibrations),
    doubts: [...ranking.doubts, ...judgeWarnings(calibrations)],
  };
}
