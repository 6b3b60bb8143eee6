import { existsSync } from 'node:fs';
import {
  comparedJudgeWarnings,
  countsOf,
  decideNight,
  exitCodeOf,
  type Firing,
  followSchedule,
  type Gate,
  isBaseline,
  isComplete,
  lossText,
  type Night,
  type NightCount,
  riseTexts,
} from '#decide';
import { InfrastructureError, UsageError } from '#lib';
import { type ResultLine, type ScheduleReference, workRunOf } from '#model';
import type { StoredSchedule } from '#scenario';
import { firingsFrom, type ObjectStore, planFile, readReference, writeReference } from '#store';
import { comparisonOf } from './comparison-of.js';
import { findPlan } from './find-sweep.js';
import { readLog } from './read-records.js';
import { decidedBy } from './read-to-compare.js';

type Judged = Pick<
  Firing,
  'compared_with' | 'verdict' | 'exit_code' | 'reasons' | 'nights' | 'configurations' | 'warnings'
>;

/**
 * Judges a night of a schedule by its reference and the nights since, from the results as they lie on disk. The first
 * complete night becomes the reference. Judged again, it is the same.
 */
export async function judgeNight(
  resultsPath: string,
  objects: ObjectStore,
  { schedule, fail_on }: Pick<StoredSchedule, 'schedule' | 'fail_on'>,
  firing: Firing,
): Promise<Judged> {
  const { status, totals } = firing;
  const results = readLog(resultsPath, () => undefined);
  const configurations = countsOfFiring(resultsPath, results, firing, new Set());
  if (isBaseline(firing) && firing.sweep !== null && isComplete(configurations))
    await writeReference(objects, {
      schema_version: 1,
      schedule,
      sweep: firing.sweep,
      firing: firing.firing,
      accepted_at: null,
    });
  const reference = await readReference(objects, schedule);
  const all =
    reference === null || reference === 'damaged'
      ? []
      : await nightsUntil(resultsPath, objects, results, reference, firing);
  const isAccepted = reference !== null && reference !== 'damaged' && reference.accepted_at !== null;
  // One that only reused earlier results says nothing.
  const nights = all.filter(({ counts }) => counts.some(({ tested }) => tested > 0));
  const followed = followSchedule(nights, isAccepted);
  const { gate, warnings = [] } = await gateOf();
  const words = followed === null ? [] : lossText(followed, schedule);
  return {
    exit_code:
      status === 'running' || totals === null || status === 'not started'
        ? 3
        : exitCodeOf({
            status,
            totals,
            decision: fail_on === 'worse' && gate !== null ? { verdict: gate.result } : undefined,
          }),
    compared_with:
      gate === null || reference === 'damaged' || reference?.sweep === firing.sweep ? null : (reference?.sweep ?? null),
    verdict: gate?.result ?? null,
    reasons: [...(gate?.reasons ?? words), ...(followed === null ? [] : riseTexts(followed))],
    nights: followed,
    configurations: all.find(({ sweep }) => sweep === firing.sweep)?.counts.slice() ?? configurations,
    ...(warnings.length === 0 ? {} : { warnings }),
  };

  async function gateOf(): Promise<{ gate: Gate | null; warnings?: string[] }> {
    if (status !== 'completed' || firing.sweep === null || reference === null) return { gate: null };
    // It began before the reference, and ended after it.
    if (reference !== 'damaged' && firing.firing < reference.firing) return { gate: null };
    if (reference === 'damaged') return { gate: gone('its file cannot be read', schedule) };
    if (reference.sweep === firing.sweep) return { gate: isAccepted ? { result: 'not worse', reasons: [] } : null };
    if (followed?.reference !== reference.sweep)
      return { gate: gone(`the results of ${reference.sweep} are gone`, schedule) };
    const compared = await compareWith(resultsPath, reference.sweep, firing.sweep);
    return { ...compared, gate: decideNight(compared.gate, followed, schedule) };
  }
}

const gone = (why: string, schedule: string): Gate => ({
  result: 'not tested',
  reasons: [`there is no reference: ${why}; choose another night with \`schedule accept ${schedule}\``],
});

/** Returns the nights from the reference up to a firing, oldest first. Those that tested nothing are left out. */
async function nightsUntil(
  resultsPath: string,
  objects: ObjectStore,
  results: readonly ResultLine[],
  reference: ScheduleReference,
  firing: Firing,
): Promise<Night[]> {
  const earlier = await firingsFrom(objects, reference.schedule, reference.firing);
  const known = new Set<string>();
  const nights = [...earlier.filter((one) => one.firing < firing.firing), firing]
    .filter((one) => isBaseline(one) && one.firing >= reference.firing)
    .map((one): Night => {
      const counts = countsOfFiring(resultsPath, results, one, known);
      for (const line of results) if (line.sweep === one.sweep) known.add(workRunOf(line));
      return { sweep: one.sweep ?? '', at: one.scheduled_at, counts };
    });
  return nights[0]?.sweep === reference.sweep ? nights : [];
}

/** Returns what a firing has shown by itself. */
export const nightOfFiring = (resultsPath: string, firing: Firing): Night => ({
  sweep: firing.sweep ?? '',
  at: firing.scheduled_at,
  counts: countsOfFiring(
    resultsPath,
    readLog(resultsPath, () => undefined),
    firing,
    new Set(),
  ),
});

/** The counts of a night, by its results; if `clean` has removed some of them, as its record says. */
function countsOfFiring(
  resultsPath: string,
  results: readonly ResultLine[],
  { sweep, configurations }: Firing,
  known: ReadonlySet<string>,
): NightCount[] {
  if (sweep === null || !existsSync(planFile(resultsPath, sweep))) return configurations;
  const lines = results.filter((line) => line.sweep === sweep);
  const plan = findPlan(resultsPath, sweep);
  const counts = countsOf({ cells: decidedBy(resultsPath, plan, lines).cells, lines }, known);
  const tested = (of: readonly NightCount[]): number => of.reduce((sum, one) => sum + one.tested, 0);
  return tested(counts) < tested(configurations) ? configurations : counts;
}

/** Compares a sweep with the reference. One that cannot be compared counts as not tested. */
async function compareWith(
  resultsPath: string,
  reference: string,
  sweep: string,
): Promise<{ gate: Gate; warnings: string[] }> {
  try {
    const comparison = await comparisonOf(resultsPath, reference, sweep, {
      variants: [],
      warn: () => undefined,
    });
    return { gate: comparison.gate, warnings: comparedJudgeWarnings(comparison) };
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof InfrastructureError)) throw error;
    const reasons = [`cannot be compared with ${reference}: ${error.message}`];
    return { gate: { result: 'not tested', reasons }, warnings: [] };
  }
}
