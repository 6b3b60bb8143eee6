import { type Firing, type SweepDocument, textOfFiring } from '#decide';
import { writeFileAtomic } from '#host';
import { systemFailure } from '#lib';
import { junit, type SweepReport } from '#reports';
import type { StoredSchedule } from '#scenario';
import { firingsFrom, junitObject, type ObjectStore, writeFiring } from '#store';
import { bringSweepRuns } from './bring-runs.js';
import { findPlan } from './find-sweep.js';
import { reportedCells } from './read-records.js';
import { sweepWithResults } from './sweep-document.js';
import { judgeNight } from './judge-night.js';

/** Reasons of this many different errors are recorded. */
const MAX_REASONS = 5;

/**
 * Judges a firing that has ended and writes its result: its record with the verdict, the exit code and the JUnit
 * report. Repeated, it writes the same, unless the results or the reference have changed. `firing.reasons`: what else
 * is to be said.
 */
export async function reportNight(
  resultsPath: string,
  objects: ObjectStore,
  stored: StoredSchedule,
  firing: Firing,
): Promise<Firing> {
  const result = firing.sweep === null ? { ...firing, exit_code: 3 as const } : await resultOf(firing.sweep);
  const written = { ...result, text: textOfFiring(result) };
  await writeFiring(objects, written);
  return written;

  async function resultOf(sweep: string): Promise<Firing> {
    const { document, results } = await sweepWithResults(resultsPath, findPlan(resultsPath, sweep), () => undefined);
    const ended = { ...firing, totals: document.totals, cost_usd: document.cost_usd };
    const judged = await judgeNight(resultsPath, objects, stored, ended);
    // The report needs files of runs, which may be on other machines.
    await bringSweepRuns(resultsPath, sweep);
    const cells = await reportedCells(resultsPath, document, results);
    const found = { document, cells, base: resultsPath };
    const problem = await writeJunit(objects, stored, found, { ...judged, firing: firing.firing });
    return {
      ...ended,
      ...judged,
      reasons: [...firing.reasons, ...judged.reasons, ...errorsOf(document), ...problem],
    };
  }
}

/** Writes the JUnit report. Returns why it cannot be written to the place that the user chose. */
async function writeJunit(
  objects: ObjectStore,
  { schedule, junit: file }: StoredSchedule,
  report: SweepReport,
  { firing, verdict, reasons }: Pick<Firing, 'firing' | 'verdict' | 'reasons'>,
): Promise<string[]> {
  const night = verdict === null ? {} : { night: { schedule, verdict, reasons } };
  const text = junit.render({ ...report, ...night });
  // A later night may have been reported before: reports do not wait for each other.
  const later = await firingsFrom(objects, schedule, firing);
  if (later.some((other) => other.firing > firing && other.exit_code !== null)) return [];
  await objects.put(junitObject(schedule), text);
  if (file === null) return [];
  try {
    await writeFileAtomic(file, text);
    return [];
  } catch (error) {
    return [`--junit ${file}: ${systemFailure(error) ?? 'cannot be written'}`];
  }
}

const errorsOf = ({ cells }: SweepDocument): string[] =>
  [...new Set(cells.flatMap(({ outcome, message }) => (outcome === 'error' ? (message ?? []) : [])))].slice(
    0,
    MAX_REASONS,
  );
