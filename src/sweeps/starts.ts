import { existsSync } from 'node:fs';
import {
  inputsOfLine,
  isSameQuestion,
  isSameSide,
  isTested,
  type Question,
  questionOf,
  type SideInputs,
  spentBefore,
  type SpentBefore,
  type Start,
  type UntilClear,
} from '#decide';
import { readTextIfThere } from '#host';
import { type Cell, type ResultLine, workRunOf } from '#model';
import { Plan, scenarioOf } from '#scenario';
import { fetchSweep, firingsFrom, objectsOf, planFile, scheduleNames, sharedProjectOf, summaryFile } from '#store';
import { newestSweeps } from './find-sweep.js';
import { readLog } from './read-records.js';

/** A schedule allows for its looks at its own nights. */
export async function withoutNights(resultsPath: string, lines: readonly ResultLine[]): Promise<readonly ResultLine[]> {
  if (lines.length === 0) return lines;
  const objects = await objectsOf(resultsPath);
  const names = await scheduleNames(objects);
  const firings = await Promise.all(names.map((name) => firingsFrom(objects, name, '')));
  const nights = new Set(firings.flat().map(({ sweep }) => sweep));
  return lines.filter(({ sweep }) => !nights.has(sweep));
}

/**
 * Returns the sweeps of `run --until-clear` that have run these scenarios, by their hashes, and have tested something
 * or have not ended: those may still test something with the alpha that they have taken.
 */
export async function startsWith(
  resultsPath: string,
  results: readonly ResultLine[],
  hashes: ReadonlySet<string>,
): Promise<Start[]> {
  const ran = results.filter((line) => hashes.has(line.scenario_hash)).map(({ sweep }) => sweep);
  const open = newestSweeps(resultsPath).filter((sweep) => !existsSync(summaryFile(resultsPath, sweep)));
  const found: Start[] = [];
  for (const sweep of new Set([...ran, ...open])) {
    const plan = await planOf(resultsPath, sweep);
    if (plan?.until_clear === undefined) continue;
    const lines = results.filter((line) => line.sweep === sweep);
    if (!open.includes(sweep) && !lines.some(isTested)) continue;
    found.push({
      sweep,
      at: plan.created_at,
      alpha: plan.until_clear.alpha,
      ...(await questionOfPlan(resultsPath, { ...plan, until_clear: plan.until_clear }, results)),
    });
  }
  return found;
}

/** Reads the plan of a sweep only if it may be one of `run --until-clear`: there may be thousands of others. */
async function planOf(resultsPath: string, sweep: string): Promise<Plan | null> {
  const project = await sharedProjectOf(resultsPath);
  if (project !== null) await fetchSweep(project, sweep);
  const text = await readTextIfThere(planFile(resultsPath, sweep));
  if (text?.includes('"until_clear"') !== true) return null;
  const parsed = Plan.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : null;
}

type Sides = Pick<Cell, 'scenario' | 'agent' | 'model' | 'variant'>;

async function questionOfPlan(
  resultsPath: string,
  plan: Plan & { until_clear: UntilClear },
  results: readonly ResultLine[],
): Promise<Question> {
  const lines = results.filter(({ sweep }) => sweep === plan.sweep);
  const inputsOf = (side: Sides): SideInputs | null => {
    const scenario_hash = scenarioOf(plan, side)?.hash;
    if (scenario_hash === undefined) return null;
    const { agent, model } = side;
    const target_fingerprint = newestOf(lines, side)?.target_fingerprint ?? null;
    return inputsOfLine({ scenario_hash, agent, model, target_fingerprint }, plan.agents);
  };
  const { base } = plan.until_clear;
  const inBase = base.kind === 'sweep' ? await inputsInSweep(resultsPath, base.sweep, results) : inputsOf;
  return questionOf(plan.cells, plan.until_clear, inputsOf, inBase);
}

/** Reads the inputs of the runs of a finished sweep. */
async function inputsInSweep(
  resultsPath: string,
  sweep: string,
  results: readonly ResultLine[],
): Promise<(side: Sides) => SideInputs | null> {
  const lines = results.filter((line) => line.sweep === sweep);
  const text = existsSync(planFile(resultsPath, sweep)) ? await readTextIfThere(planFile(resultsPath, sweep)) : null;
  const plan = text === null ? null : Plan.safeParse(JSON.parse(text));
  const agents = plan?.success === true ? plan.data.agents : null;
  return (side) => {
    const newest = newestOf(lines, side);
    return newest === undefined ? null : inputsOfLine(newest, agents);
  };
}

const newestOf = (lines: readonly ResultLine[], { scenario, agent, model, variant }: Sides): ResultLine | undefined =>
  lines.findLast(
    (line) => line.scenario_id === scenario && line.agent === agent && line.model === model && line.variant === variant,
  );

/**
 * Returns what is left of alpha for a sweep of `run --until-clear` that is planned, and what others that have asked the
 * same may have spent. `inputsOf`: of a cell of the planned sweep.
 */
export async function alphaLeft(
  resultsPath: string,
  { cells, untilClear }: { cells: readonly Cell[]; untilClear: UntilClear },
  inputsOf: (side: Sides) => SideInputs | null,
): Promise<{ left: number; before: SpentBefore }> {
  const results = readLog(resultsPath, () => undefined);
  const { base, alpha } = untilClear;
  const inBase = base.kind === 'sweep' ? await inputsInSweep(resultsPath, base.sweep, results) : inputsOf;
  const question = questionOf(cells, untilClear, inputsOf, inBase);
  const known = question.pairs.flatMap(({ base: before, head: after }) => [before, after]);
  const hashes = new Set(known.flatMap((side) => side?.scenario_hash ?? []));
  const starts = (await startsWith(resultsPath, results, hashes)).filter((start) => isSameQuestion(question, start));
  const isStart = new Set(starts.map(({ sweep }) => sweep));
  const ordinary = await withoutNights(
    resultsPath,
    results.filter(
      (line) =>
        hashes.has(line.scenario_hash) && !isStart.has(line.sweep) && isTested(line) && workRunOf(line) === line.id,
    ),
  );
  const sides = question.pairs
    // If nothing differs between the sides, each two sweeps are a question of their own.
    .filter((pair) => !isSameSide(pair.base, pair.head))
    .map((pair) => {
      const of = (side: SideInputs | null) => ordinary.filter((line) => isSameSide(side, inputsOfLine(line, null)));
      return { base: of(pair.base), head: of(pair.head) };
    });
  const { left, spent, by } = spentBefore(sides, starts, alpha);
  return { left: spent === 0 ? alpha : left, before: { of_alpha: alpha, spent, by } };
}
