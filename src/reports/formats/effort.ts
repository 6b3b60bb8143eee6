import { formatDuration } from '../../lib/format/duration.js';
import { shownTokens } from '../../results/records/recorded-usage.js';
import { sumUsage } from '../../results/records/token-usage.js';
import type { ReportedCell } from './sweep-report.js';

/** Adds up the time and tokens of a sweep's runs, without reused ones; null: unknown. */
function effortOf(cells: readonly ReportedCell[]) {
  const own = cells.filter(({ cell }) => !cell.cached);
  const durations = own.flatMap(({ cell }) => cell.duration_secs ?? []);
  const used = own.flatMap(({ records }) =>
    records?.run.agent == null ? [] : shownTokens(records.run.agent),
  );
  return {
    seconds: durations.length === 0 ? null : durations.reduce((sum, seconds) => sum + seconds, 0),
    tokens: sumUsage(used.map(({ usage }) => usage)),
    /** Whether some agents were interrupted, so that the tokens are a lower bound. */
    atLeast: used.some(({ atLeast }) => atLeast),
  };
}

/** Formats the effort: "Runs took 3m 20s, tokens 1,200 in and 350 out". */
export function effortText(cells: readonly ReportedCell[]): string {
  const { seconds, tokens, atLeast } = effortOf(cells);
  const { input, output } = tokens;
  return [
    `Runs took ${seconds === null ? 'n/a' : formatDuration(seconds * 1000)}`,
    ...(input === null && output === null
      ? []
      : [`tokens ${atLeast ? 'at least ' : ''}${tokenText(input)} in and ${tokenText(output)} out`]),
  ].join(', ');
}

/** Formats a number of tokens: "1,200"; "n/a" if it is unknown, which is not 0. */
const tokenText = (count: number | null): string => count?.toLocaleString('en') ?? 'n/a';
