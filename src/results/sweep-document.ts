import { join } from 'node:path';
import { z } from 'zod';
import { Cell } from './cell.js';
import { Regression } from './regressions.js';
import { Outcome, SCHEMA_VERSION, type ResultLine } from './schema.js';
import { paidCost, Totals, totalsOf } from './tally.js';

/** One cell of a sweep; what only a finished run can say is null before that. */
export const SweepCell = Cell.extend({
  outcome: Outcome.nullable(),
  message: z.string().nullable(),
  gates_passed: z.number().int().nullable(),
  gates_total: z.number().int().nullable(),
  judge_score: z.number().nullable(),
  composite_score: z.number().nullable(),
  cost_usd: z.number().nullable(),
  /** What it has cost at least, where `cost_usd` is null and a part of it is known. */
  cost_usd_at_least: z.number().exactOptional(),
  duration_secs: z.number().nullable(),
  attempts: z.number().int().nullable(),
  starts: z.number().int().nullable().default(null),
  /** What got worse since the previous run of the cell. */
  regressions: z.array(Regression).default([]),
  /** The result is that of an earlier run with exactly the same inputs. */
  cached: z.boolean(),
  /** Absolute. */
  results_dir: z.string().nullable(),
});
export type SweepCell = z.infer<typeof SweepCell>;

/** What `run --json` prints and summary.json holds. */
export const SweepDocument = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  sweep: z.string(),
  workflow_id: z.string(),
  ui_url: z.string().nullable(),
  status: z.enum(['running', 'paused', 'completed', 'cancelled']),
  totals: Totals,
  /** US dollars that the sweep's runs are known to have cost; null where no cost is known. What was reused costs nothing. */
  cost_usd: z.number().nullable().default(null),
  /** The budget; null where there is none. */
  max_usd: z.number().nullable().default(null),
  cells: z.array(SweepCell),
  /** What makes the results doubtful as a whole. Absent where nothing does. */
  warnings: z.array(z.string()).optional(),
});
export type SweepDocument = z.infer<typeof SweepDocument>;

export interface SweepDocumentInput {
  sweep: string;
  workflowId: string;
  uiUrl: string | null;
  status: SweepDocument['status'];
  maxUsd: number | null;
  cells: readonly Cell[];
  /** In the order written; lines of other sweeps are passed over. */
  results: readonly ResultLine[];
  /** Absolute path of the results folder. */
  resultsPath: string;
}

/** Puts what was planned and what was found together. Of several lines of a cell the last one counts. */
export function buildSweepDocument(input: SweepDocumentInput): SweepDocument {
  const own = new Map<string, ResultLine>();
  for (const line of input.results) if (line.sweep === input.sweep) own.set(line.cell, line);
  const cells = input.cells.map((cell) => toCell(cell, own.get(cell.id) ?? null, input.resultsPath));
  return {
    schema_version: SCHEMA_VERSION,
    sweep: input.sweep,
    workflow_id: input.workflowId,
    ui_url: input.uiUrl,
    status: input.status,
    totals: totalsOf(cells),
    cost_usd: paidCost(cells).usd,
    max_usd: input.maxUsd,
    cells,
  };
}

function toCell(cell: Cell, line: ResultLine | null, resultsPath: string): SweepCell {
  const { id, scenario, agent, model, variant, repetition } = cell;
  return {
    id,
    scenario,
    agent,
    model,
    variant,
    repetition,
    outcome: line?.outcome ?? null,
    message: line?.message ?? null,
    gates_passed: line?.gates_passed ?? null,
    gates_total: line?.gates_total ?? null,
    judge_score: line?.judge_score ?? null,
    composite_score: line?.metrics?.composite_score ?? null,
    cost_usd: line?.cost_usd ?? null,
    ...(line?.cost_usd_at_least === undefined ? {} : { cost_usd_at_least: line.cost_usd_at_least }),
    duration_secs: line?.duration_secs ?? null,
    attempts: line?.attempts ?? null,
    starts: line?.starts ?? null,
    regressions: line?.regressions ?? [],
    cached: line !== null && line.cached_from !== null,
    results_dir: line?.results_dir == null ? null : join(resultsPath, line.results_dir),
  };
}

/**
 * 130 paused or cancelled as a whole, 1 some cell failed, 3 some cell could not be tested, 0 otherwise: the first that holds.
 * A cell that was cancelled by itself (in the Web UI, for example) was not tested, and hides no failure of another one. Cells
 * that have yet to run count only when the sweep claims to be complete; then they were not tested.
 */
export function exitCodeOf(document: Pick<SweepDocument, 'status' | 'totals'>): 0 | 1 | 3 | 130 {
  const { status, totals } = document;
  if (status === 'paused' || status === 'cancelled') return 130;
  if (totals.failed > 0) return 1;
  if (totals.errored > 0 || totals.cancelled > 0) return 3;
  return status === 'completed' && totals.passed < totals.cells ? 3 : 0;
}
