import { join } from 'node:path';
import { readJsonIfThere } from '#host';
import { canonicalJson } from '#lib';
import { type GateDetail, type RunRecord, STEPS } from '#model';
import { gatesOf, type PlacedGate, type Scenario } from '#scenario';
import { runFiles } from '#store';
import { gateSubject } from '#gates';
import type { Prepared, WorkOfRun } from '../prepare/build-workspace.js';
import { storeOfRun } from '../prepare/restore-work.js';
import type { Deps } from '../step/deps.js';
import { readScenario } from '../run/load-plan.js';
import { readStep } from '../step/run-step-once.js';
import type { RunIdentity } from '../run/context.js';

/** The result of a gate that could not be checked. */
export const brokenGate = ({ gate }: Pick<PlacedGate, 'gate'>, index: number, message: string): GateDetail => ({
  index,
  gate_type: gate.type,
  name: gate.name ?? null,
  subject: gateSubject(gate),
  status: 'error',
  passed: false,
  detail: null,
  duration_ms: 0,
  message,
});

/**
 * The work of an earlier run was kept only with the last state of the workspace. Returns the verdict of a gate that
 * checks an earlier state: the one that the run recorded, or an error if the gate has changed since. Returns null
 * if the gate can be checked.
 */
export async function keptVerdict(
  deps: Deps,
  context: RunIdentity,
  placed: PlacedGate,
  index: number,
  turn: number | undefined,
): Promise<GateDetail | null> {
  if (context.regrade === null) return null;
  const prepared = await readStep<Prepared>(context, STEPS.prepare);
  const kept = prepared?.result.kept;
  if (kept === undefined || checksLastState(context.scenario, placed, kept, turn)) return null;
  const recorded = await recordedVerdict(deps, context, placed, kept, turn);
  return recorded === null ? brokenGate(placed, index, NOT_KEPT) : { ...recorded, index };
}

/** True if nothing can have changed the workspace between the time at which a gate is due and the end of the run. */
export function checksLastState(
  { steps }: Pick<Scenario, 'steps'>,
  { after }: Pick<PlacedGate, 'after'>,
  { turns }: Pick<WorkOfRun, 'turns'>,
  turn?: number,
): boolean {
  if (after === null) return true;
  const isLastTurn = turn === undefined || turns[after]?.at(-1) === turn;
  return isLastTurn && after === steps.length - 1;
}

async function recordedVerdict(
  deps: Deps,
  context: RunIdentity,
  placed: PlacedGate,
  { run }: WorkOfRun,
  turn: number | undefined,
): Promise<GateDetail | null> {
  const record = await readJsonIfThere<Pick<RunRecord, 'scenario'>>(runFiles(join(deps.resultsPath, run)).run);
  if (record === null) return null;
  const { effective } = await readScenario(deps.resultsPath, record.scenario.hash);
  // Its scripts may have changed.
  if (effective.checks !== context.checks) return null;
  const index = gatesOf(effective.scenario).findIndex((one) => canonicalJson(one) === canonicalJson(placed));
  if (index === -1) return null;
  return (await readStep<GateDetail>(storeOfRun(deps, context, run), STEPS.gate(index, turn)))?.result ?? null;
}

const NOT_KEPT = 'cannot be checked again: what the workspace contained at this point was not kept';
