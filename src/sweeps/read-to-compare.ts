import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  decide,
  type Decision,
  decisionWithJudgeDrift,
  endedCells,
  isTested,
  type RunInputs,
  type Sample,
  type SweepToCompare,
  withOrigins,
} from '#decide';
import { displayPath, readTextIfThere } from '#host';
import { beginningOf, type Json, parseJson } from '#lib';
import { type Cell, judgedIn, nameSteps, type ResultLine, RunRecord, scenarioLabel, workRunOf } from '#model';
import { EffectiveScenario, type Plan } from '#scenario';
import { fetchSweep, planFile, readResultsFile, runFiles, scenarioFile, sharedProjectOf, storedDecision } from '#store';
import { bringSweepRuns } from './bring-runs.js';
import { findPlan, sweepStatus } from './find-sweep.js';
import { judgedFacts } from './judged-runs.js';
import { readLog } from './read-records.js';
import { readReview } from './read-review.js';
import { startsWith, withoutNights } from './starts.js';

/** Reads all data of a sweep that a comparison needs. Warns about data that cannot be read, and leaves it out. */
export async function readToCompare(
  resultsPath: string,
  plan: Plan,
  results: readonly ResultLine[],
  warn: (text: string) => void,
): Promise<SweepToCompare> {
  await bringSweepRuns(resultsPath, plan.sweep);
  const project = await sharedProjectOf(resultsPath);
  if (project !== null) await fetchSweep(project, plan.sweep);
  const lines = results.filter(({ sweep }) => sweep === plan.sweep);
  const keys = new Set(lines.map((line) => line.cache_key));
  return {
    sweep: plan.sweep,
    variant: null,
    started: plan.created_at,
    status: sweepStatus(resultsPath, plan.sweep),
    ...decidedBy(resultsPath, plan, lines),
    combinations: plan.scenarios.filter(({ parameters }) => parameters !== undefined),
    lines: withOrigins(withHumanScores(resultsPath, lines, warn), results),
    others: await withoutNights(
      resultsPath,
      results.filter(
        (line) =>
          line.sweep !== plan.sweep &&
          line.cache_key !== null &&
          keys.has(line.cache_key) &&
          isTested(line) &&
          workRunOf(line) === line.id,
      ),
    ),
    starts: await startsWith(resultsPath, results, new Set(lines.map((line) => line.scenario_hash))),
    scenarios: await readScenarios(resultsPath, plan, warn),
    agents: plan.agents,
    prices: plan.prices,
    runInputs: readRunInputs(resultsPath, lines, warn),
  };
}

/** The decision of a sweep that ran until its verdict was clear, and the cells that it needed: not all of its plan. */
export function decidedBy(
  resultsPath: string,
  { sweep, cells, until_clear }: Plan,
  lines: readonly ResultLine[],
): Pick<SweepToCompare, 'cells' | 'decision'> {
  if (until_clear === undefined) return { cells };
  const stored = storedDecision(resultsPath, sweep);
  if (stored !== null) return { cells: cells.filter(({ id }) => stored.cells.includes(id)), decision: stored.decision };
  const { released, decision } = decide(cells, until_clear, endedCells(lines), 'open');
  return { cells: released, decision };
}

/**
 * Takes back what a sweep has decided against an earlier one if a changed judge could be the reason, as `compare` does.
 * `released`: the cells that it needed.
 */
export async function decisionAsJudged(
  resultsPath: string,
  { sweep, created_at: started, until_clear: plan }: Plan,
  { decision, released }: { decision: Decision; released: readonly Cell[] },
): Promise<Decision> {
  // Judges give no rewards.
  if (plan?.base.kind !== 'sweep' || plan.measure === 'reward' || decision.stopped === null) return decision;
  const base = plan.base.sweep;
  const project = await sharedProjectOf(resultsPath);
  if (project !== null) await fetchSweep(project, base);
  const results = readLog(resultsPath, () => undefined);
  const sideOf = (id: string, cells: readonly Cell[]) => ({
    sweep: id,
    variant: null,
    started,
    status: 'completed' as const,
    cells,
    combinations: [],
    lines: results.filter((line) => line.sweep === id),
  });
  // It may have been removed, since its outcomes are in the plan.
  const isThere = existsSync(planFile(resultsPath, base));
  const sides = {
    base: sideOf(base, isThere ? findPlan(resultsPath, base).cells : []),
    head: sideOf(sweep, released),
  };
  return decisionWithJudgeDrift(decision, sides, results, judgedFacts(resultsPath));
}

function withHumanScores(resultsPath: string, lines: readonly ResultLine[], warn: (text: string) => void): Sample[] {
  return lines.map((line) => {
    if (line.results_dir === null) return line;
    const score = readReview(join(resultsPath, line.results_dir), judgedIn(line.metrics), warn)?.score ?? null;
    return score === null ? line : { ...line, human_score: score };
  });
}

async function readScenarios(
  resultsPath: string,
  plan: Plan,
  warn: (text: string) => void,
): Promise<Map<string, Json>> {
  const found = new Map<string, Json>();
  for (const { name: scenario, variant, hash } of plan.scenarios) {
    const label = scenarioLabel({ scenario, variant });
    if (plan.imported !== undefined) {
      found.set(label, { sample: hash });
      continue;
    }
    const file = scenarioFile(resultsPath, hash);
    const text = await readTextIfThere(file);
    const stored = text === null ? undefined : parseJson(text);
    if (stored !== undefined) found.set(label, comparable(stored));
    else warn(`warning: ${displayPath(file)} cannot be read; whether ${label} has changed is unknown`);
  }
  return found;
}

/**
 * Converts a scenario's list of steps to an object by step name, so that an added step does not change the others.
 * Returns an invalid scenario unchanged.
 */
function comparable(stored: Json): Json {
  const { success, data } = EffectiveScenario.safeParse(stored);
  if (!success) return stored;
  const steps = Object.fromEntries(nameSteps(data.scenario.steps).map(({ name, step }) => [name, step]));
  return { ...data, scenario: { ...data.scenario, steps } } as unknown as Json;
}

/** The parts of run.json that are needed. Validating the rest would be slow for many runs. */
const Facts = z.object({
  ...RunRecord.pick({ run_id: true, environment: true }).shape,
  target: RunRecord.shape.target.unwrap().pick({ fingerprint: true, health_check: true }).nullable(),
  agent: z.object({ version: z.string().nullable(), model_used: z.string().nullable() }).nullable(),
});

function readRunInputs(
  resultsPath: string,
  lines: readonly ResultLine[],
  warn: (text: string) => void,
): Map<string, RunInputs> {
  const found = new Map<string, RunInputs>();
  const broken: string[] = [];
  for (const folder of new Set(lines.flatMap(({ results_dir }) => results_dir ?? []))) {
    const { run } = runFiles(join(resultsPath, folder));
    try {
      found.set(folder, runInputsOf(readResultsFile(run, Facts)));
    } catch {
      broken.push(displayPath(run));
    }
  }
  const more = broken.length > 1 ? ` and ${broken.length - 1} more` : '';
  if (broken.length > 0)
    warn(`warning: ${broken[0]}${more} cannot be read; the versions used by these runs are unknown`);
  return found;
}

const SHORT = 80;

const runInputsOf = ({ run_id, environment, target, agent }: z.infer<typeof Facts>): RunInputs => ({
  agent_version: agent?.version ?? null,
  model_used: agent?.model_used ?? null,
  environment,
  target: target?.fingerprint?.slice(0, 8) ?? null,
  health_check:
    target?.health_check == null
      ? null
      : // a path that contains the run's id would make every run look different
        beginningOf(target.health_check.stdout.replaceAll(run_id, '<run>').trim(), SHORT),
});
