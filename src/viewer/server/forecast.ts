import { ALPHA, configurationsIn, expectedOf, forecast, MOST_RUNS, POWER } from '#decide';
import { UsageError } from '#lib';
import { curveColumns, curveRow, forecastAnswer, forecastHints } from '#reports';
import { resultsIndex } from '#store';
import { findPlan } from '#sweeps';
import type { ForecastAnswer } from '../protocol.js';

/**
 * Says what it takes to show a change of what a sweep runs, as `plan` does. `points`: the change in percentage points.
 *
 * @throws UsageError if there is no such sweep, or the change is none
 */
export function forecastFor(resultsPath: string, sweep: string, points: number): ForecastAnswer {
  if (!(points > 0 && points < 100))
    throw new UsageError('usage', 'expected a change above 0 and below 100 points');
  const { cells, concurrency, max_usd: maxUsd } = findPlan(resultsPath, sweep);
  const { results } = resultsIndex(resultsPath).digests();
  const document = forecast(
    configurationsIn(cells).map((one) => expectedOf(one, results, {})),
    {
      ...{ effect: points / 100, power: POWER, alpha: ALPHA, concurrency, maxUsd },
      ...{ mostRuns: MOST_RUNS, sides: 2 },
    },
  );
  return {
    forecast: document,
    answers: forecastAnswer(document),
    curve: {
      title: 'What other numbers of runs show',
      columns: curveColumns(concurrency),
      rows: document.curve.map(curveRow),
      right: [0, 1, 2, 3, 4],
    },
    hints: forecastHints(document),
  };
}
