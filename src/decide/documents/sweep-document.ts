import { z } from 'zod';
import { defined, schemaVersion } from '#lib';
import {
  Cell,
  HumanReview,
  NO_FACTS,
  Outcome,
  type ResultDigest,
  RunFacts,
  runFactsOf,
  SCHEMA_VERSION,
  SubjectTokens,
  Usd,
} from '#model';
import { byParameter, ParameterResults, type Combined } from '../by-parameter.js';
import { Calibration, GateCalibration } from '../calibration/document.js';
import { decide } from '../decision/decide.js';
import { Decision } from '../decision/decision.js';
import { endedCells } from '../decision/paired-cells.js';
import type { UntilClear } from '../decision/until-clear.js';
import { addedTokens } from '../comparison/compared-subjects.js';
import { type CellResult, EarlierRuns, paidCost, resultsByCell, Totals, totalsOf } from '../totals.js';

/** One cell of a sweep. Fields that only a finished run can fill are null until then. */
export const SweepCell = Cell.extend({
  outcome: Outcome.nullable().describe('Null: not finished, like other numbers of the cell'),
  message: z.string().nullable().describe('The reason, in a sentence'),
  agent_version: z
    .string()
    .exactOptional()
    .describe('As the agent prints it; absent: unknown, or no agent was started'),
  gates_passed: z.int().nullable().describe('Gates that passed'),
  gates_total: z.int().nullable().describe('Gates of the scenario'),
  judge_score: z.number().nullable().describe('Weighted score of the judge'),
  composite_score: z.number().nullable().describe('Composite score'),
  human: HumanReview.exactOptional().describe('Human review, from evaluation.md; absent: none, or not read'),
  cost_usd: Usd.nullable().describe('Cost of agent and judge; null: unknown'),
  cost_usd_at_least: Usd.exactOptional().describe('The known part of an unknown cost'),
  earlier_runs: EarlierRuns.exactOptional().describe('Runs of the cell that were replaced by this one; absent: none'),
  attempts: z.int().nullable().describe("Attempts of the agent's step"),
  ...RunFacts.shape,
  cached: z.boolean().describe('Whether the result of an earlier run was reused'),
  results_dir: z.string().nullable().describe('Absolute path of the run'),
});
export type SweepCell = z.infer<typeof SweepCell>;

/** The output of `run --json`, and the contents of summary.json. */
export const SweepDocument = z.object({
  schema_version: schemaVersion(SCHEMA_VERSION).describe('Version of the format'),
  sweep: z.string().describe('Id of the sweep'),
  owner: z.string().exactOptional().describe('To whom the sweep belongs; absent: not known'),
  workflow_id: z.string().describe('Its workflow in Temporal; empty if it was imported'),
  ui_url: z.string().nullable().describe("Its page in Temporal's Web UI"),
  status: z.enum(['running', 'paused', 'completed', 'cancelled']).describe('Status of the sweep'),
  totals: Totals.describe('Numbers of cells'),
  cost_usd: z
    .number()
    .nullable()
    .describe('Known costs of all runs, also of those that were replaced; null: none is known'),
  max_usd: z.number().nullable().describe('The budget'),
  cells: z.array(SweepCell).describe('One for each cell'),
  decision: Decision.exactOptional().describe(
    'Set if the sweep runs until its verdict is clear; `cells` then has those that it needed',
  ),
  cells_of_sweep: z
    .int()
    .exactOptional()
    .describe('Number of cells of the whole sweep, if options of `show` selected some of them'),
  parameters: z
    .array(ParameterResults)
    .exactOptional()
    .describe('Results by parameter, if the sweep is a matrix of ElizaOS'),
  subject_tokens: z
    .array(SubjectTokens)
    .exactOptional()
    .describe(
      'What subjects add to the context before the first turn: `head` are the variants with a subject, `base` the same without; absent: not both ran',
    ),
  calibration: z
    .array(Calibration)
    .exactOptional()
    .describe('The judges compared with people; absent: no run was judged, or not read'),
  gate_calibration: z
    .array(GateCalibration)
    .exactOptional()
    .describe('Gates that a model decided, compared with people; absent: none, or not read'),
  live: z.boolean().exactOptional().describe('Whether mocks were ignored (`--live`)'),
  warnings: z.array(z.string()).exactOptional().describe('Reasons to doubt the results as a whole'),
});
export type SweepDocument = z.infer<typeof SweepDocument>;

export interface SweepDocumentInput {
  sweep: string;
  /** Absent if not known. */
  owner?: string | undefined;
  workflowId: string;
  uiUrl: string | null;
  status: SweepDocument['status'];
  maxUsd: number | null;
  cells: readonly Cell[];
  /** Set if the sweep runs until its verdict is clear. */
  untilClear?: UntilClear | undefined;
  /** The decision of such a sweep, with the ids of the cells that it needed; null if it has not ended. */
  decided?: { decision: Decision; cells: readonly string[] } | null;
  /** In the order written. Lines of other sweeps are ignored. */
  results: readonly ResultDigest[];
  /** Absolute path of the results folder. */
  resultsPath: string;
  /** The variants of scenarios, for results by parameter and by subject. */
  scenarios?: readonly Combined[];
  /** True if mocks are ignored. */
  live?: boolean;
}

/** Combines the planned cells with their results. If a cell has several lines, the last one counts. */
export function buildSweepDocument(input: SweepDocumentInput): SweepDocument {
  const lines = input.results.filter(({ sweep }) => sweep === input.sweep);
  const own = resultsByCell(lines);
  const decided = decidedOf(input, lines);
  const cells = (decided?.released ?? input.cells).map((cell) => toCell(cell, own.get(cell.id), input.resultsPath));
  const scenarios = (input.scenarios ?? []).filter((one) => one.parameters !== undefined || one.subject !== undefined);
  // A second object for each of thousands of cells would cost memory.
  const measured = (scenarios.length === 0 ? [] : cells).map((cell) => ({
    ...cell,
    metrics: own.get(cell.id)?.line.metrics ?? null,
  }));
  const parameters = byParameter(input.scenarios ?? [], measured);
  const subject_tokens = addedTokens(input.scenarios ?? [], measured);
  return {
    schema_version: SCHEMA_VERSION,
    sweep: input.sweep,
    ...defined({ owner: input.owner }),
    workflow_id: input.workflowId,
    ui_url: input.uiUrl,
    status: input.status,
    totals: totalsOf(cells),
    cost_usd: paidCost(cells).usd,
    max_usd: input.maxUsd,
    cells,
    ...(decided === null ? {} : { decision: decided.decision }),
    ...(input.live === true ? { live: true } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(subject_tokens.length === 0 ? {} : { subject_tokens }),
  };
}

function decidedOf(
  { cells, untilClear, decided = null, status }: SweepDocumentInput,
  results: readonly ResultDigest[],
): { decision: Decision; released: Cell[] } | null {
  if (untilClear === undefined) return null;
  if (decided !== null) {
    const byId = new Map(cells.map((cell) => [cell.id, cell]));
    return { decision: decided.decision, released: decided.cells.flatMap((id) => byId.get(id) ?? []) };
  }
  return decide(cells, untilClear, endedCells(results), status === 'running' || status === 'paused' ? 'open' : status);
}

function toCell(
  { id, scenario, agent, model, variant, repetition }: Cell,
  { line, earlier_runs }: Partial<CellResult> = {},
  resultsPath: string,
): SweepCell {
  return {
    id,
    scenario,
    agent,
    model,
    variant,
    repetition,
    outcome: line?.outcome ?? null,
    message: line?.message ?? null,
    ...(line?.agent_version === undefined ? {} : { agent_version: line.agent_version }),
    gates_passed: line?.gates_passed ?? null,
    gates_total: line?.gates_total ?? null,
    judge_score: line?.judge_score ?? null,
    composite_score: line?.metrics?.composite_score ?? null,
    cost_usd: line?.cost_usd ?? null,
    ...(line?.cost_usd_at_least === undefined ? {} : { cost_usd_at_least: line.cost_usd_at_least }),
    ...defined({ earlier_runs }),
    attempts: line?.attempts ?? null,
    ...runFactsOf(line ?? NO_FACTS),
    cached: line !== undefined && line.cached_from !== null,
    // Not `join`, which takes longer than all the rest.
    results_dir: line?.results_dir == null ? null : `${resultsPath}/${line.results_dir}`,
  };
}
