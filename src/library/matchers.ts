import type { SweepDocument } from './documents.js';
import { failuresOf } from './failures.js';

/** The answer of a matcher, as Vitest wants it. */
interface Matched {
  pass: boolean;
  message: () => string;
}

/** The share of passed cells among those that passed or failed: an error says nothing of the tested tool. */
const rateOf = ({ totals: { passed, failed } }: SweepDocument): number | null =>
  passed + failed === 0 ? null : passed / (passed + failed);

const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;

/** The matchers for sweeps, by name. */
export const matchers = {
  async toHavePassed(sweep: SweepDocument): Promise<Matched> {
    const failures = await failuresOf(sweep);
    const { cells, passed } = sweep.totals;
    return {
      pass: failures.length === 0 && passed > 0,
      message: () =>
        failures.length === 0
          ? `${passed} of ${cells} cells passed`
          : `${passed} of ${cells} cells passed\n${failures.join('\n')}`,
    };
  },

  async toHavePassRate(sweep: SweepDocument, least: number): Promise<Matched> {
    const rate = rateOf(sweep);
    const failures = await failuresOf(sweep);
    const { errored } = sweep.totals;
    const errors = errored === 0 ? '' : `, and ${errored} ended in an error`;
    return {
      // Cells that could not be tested fail closed.
      pass: rate !== null && errored === 0 && rate >= least,
      message: () =>
        [
          `pass rate: ${rate === null ? 'unknown' : percent(rate)}${errors}; expected at least ${percent(least)}`,
          ...failures,
        ].join('\n'),
    };
  },

  toCostAtMost({ cells }: SweepDocument, usd: number): Matched {
    const unknown = cells.filter(({ cost_usd, cached }) => cost_usd === null && !cached);
    const known = cells.reduce((sum, { cost_usd, cached }) => sum + (cached ? 0 : (cost_usd ?? 0)), 0);
    return {
      pass: unknown.length === 0 && known <= usd,
      message: () =>
        unknown.length === 0
          ? `the sweep cost $${known}; expected at most $${usd}`
          : `the cost of ${unknown.length} cells is unknown: ${unknown.map(({ id }) => id).join(', ')}`,
    };
  },
};
