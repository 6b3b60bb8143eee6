import type { ReportedCell, SweepReport } from '../../../src/reports/formats/sweep-report.js';
import type { SweepCell, SweepDocument } from '../../../src/decide/documents/sweep-document.js';
import { NO_USAGE } from '../../../src/model/records/token-usage.js';
import { cell, gate, metrics, run, sweep } from '../../model/sample.js';

/** A cell with an existing run, for tests to change. */
export const reported = (change: Partial<SweepCell> = {}, found: Partial<ReportedCell> = {}): ReportedCell => ({
  cell: cell(change),
  records: { run: run(), metrics: metrics() },
  missing: null,
  ...found,
});

/** A cell that failed because of its second gate. */
export const failed = (change: Partial<SweepCell> = {}, message = 'notes.md does not exist'): ReportedCell =>
  reported(
    { outcome: 'fail', message: `1/2 gates passed: ${message}`, gates_passed: 1, gates_total: 2, ...change },
    {
      records: {
        run: run({ outcome: 'fail' }),
        metrics: metrics({
          outcome: 'fail',
          details: [gate({ index: 0 }), gate({ index: 1, subject: 'notes.md', status: 'fail', message })],
          gates_total: 2,
        }),
      },
    },
  );

/** A cell with an interrupted agent: only a part of tokens and cost is known. */
export function interrupted(): ReportedCell {
  const { agent, ...rest } = run();
  if (agent === null) throw new Error('the sample has an agent');
  const token_usage_at_least = { ...NO_USAGE, input: 1200, output: 350 };
  const used = { ...agent, token_usage: NO_USAGE, token_usage_at_least, cost_usd_at_least: 0.5 };
  return reported(
    { cost_usd: null, cost_usd_at_least: 0.5 },
    { records: { run: { ...rest, agent: used }, metrics: metrics() } },
  );
}

/** A cell that only the sweep knows about: its run has left nothing, or did not happen. */
export const unread = (change: Partial<SweepCell> = {}, missing: string | null = null): ReportedCell =>
  reported(change, { records: null, missing });

/** A cell that has not run yet. */
export const waiting = (change: Partial<SweepCell> = {}): ReportedCell =>
  unread({
    outcome: null,
    message: null,
    gates_passed: null,
    gates_total: null,
    cost_usd: null,
    duration_secs: null,
    attempts: null,
    results_dir: null,
    ...change,
  });

export const reportOf = (cells: readonly ReportedCell[], change: Partial<SweepDocument> = {}): SweepReport => ({
  document: sweep(
    cells.map((one) => one.cell),
    change,
  ),
  cells,
  base: '/results',
});
