import { bringSweepRuns } from '../client/sweeps/bring-runs.js';
import { comparisonOf } from '../client/sweeps/comparison-of.js';
import { findPlan } from '../client/sweeps/find-sweep.js';
import { readRecords } from '../client/sweeps/read-records.js';
import { sweepDocument } from '../client/sweeps/sweep-document.js';
import { InfrastructureError, UsageError } from '../lib/errors/usage-error.js';
import { systemFailure } from '../lib/errors/system-failure.js';
import { writeFileAtomic } from '../platform/fs/write-file.js';
import { junit } from '../reports/formats/junit.js';
import type { ReportedCell } from '../reports/formats/sweep-report.js';
import { comparedJudgeWarnings } from '../results/comparison/compared-judges.js';
import type { Gate } from '../results/comparison/document.js';
import type { Firing } from '../results/records/firing.js';
import type { SweepDocument } from '../results/records/sweep-document.js';
import { exitCodeOfFiring, isBaseline, textOfFiring } from '../results/schedules/decide-firing.js';
import type { StoredSchedule } from '../scenario/stored-schedule.js';
import { objectsOf } from '../store/schedules/object-store.js';
import {
  junitObject,
  newestFiring,
  readFiring,
  removeUsedTriggers,
  writeFiring,
} from '../store/schedules/schedule-files.js';
import { pullResults } from '../store/shared/mirror.js';
import { sharedProjectOf } from '../store/shared/shared-project.js';
import type { FiringEnd } from '../workflows/protocol.js';
import type { Deps } from './step/deps.js';
import { refusal, verifySchedule } from './step/verify-firing.js';

/** Reasons of this many different errors are recorded. */
const MOST_REASONS = 5;

/** Writes the result of a firing: the comparison with the sweep before, the exit code and the JUnit report. */
export const reportScheduled =
  ({ resultsPath, ...deps }: Deps) =>
  async ({
    firing: id,
    status,
    message,
    ...ref
  }: FiringEnd): Promise<{ exitCode: number; webhook: boolean }> => {
    const objects = await objectsOf(resultsPath);
    const { stored } = await verifySchedule({ resultsPath, ...deps }, objects, ref);
    const begun = await readFiring(objects, ref.schedule, id);
    if (begun?.workflow !== ref.execution) throw refusal(ref.schedule, 'it has no record of this firing');
    const ended = { ...begun, status, ended_at: new Date().toISOString() };
    const lost = message === undefined ? [] : [`the workflow of the sweep did not complete: ${message}`];
    const result =
      begun.sweep === null
        ? { ...ended, exit_code: 3 as const }
        : await resultOf({ ...ended, reasons: lost }, begun.sweep);
    await writeFiring(objects, { ...result, text: textOfFiring(result) });
    await removeUsedTriggers(objects, ref.schedule);
    return { exitCode: result.exit_code ?? 3, webhook: stored.webhook !== null };

    async function resultOf(firing: Firing, sweep: string): Promise<Firing> {
      // also those of the sweep before, which other hosts may have run
      const project = await sharedProjectOf(resultsPath);
      if (project !== null) await pullResults(project);
      const document = await sweepDocument(resultsPath, findPlan(resultsPath, sweep), () => undefined);
      const before =
        status === 'completed' ? await newestFiring(objects, ref.schedule, isBaseline, id) : null;
      const compared = before?.sweep == null ? null : await compareWith(resultsPath, before.sweep, sweep);
      const { gate = null, warnings = [] } = compared ?? {};
      const problem = await writeJunit(document, stored);
      return {
        ...firing,
        exit_code:
          status === 'not started' ? 3 : exitCodeOfFiring(status, document.totals, gate, stored.fail_on),
        compared_with: gate === null ? null : (before?.sweep ?? null),
        verdict: gate?.result ?? null,
        reasons: [...firing.reasons, ...(gate?.reasons ?? []), ...errorsOf(document), ...problem],
        ...(warnings.length === 0 ? {} : { warnings }),
        totals: document.totals,
        cost_usd: document.cost_usd,
      };
    }

    /** Writes the JUnit report. Returns why it cannot be written to the place that the user chose. */
    async function writeJunit(
      document: SweepDocument,
      { schedule, junit: file }: StoredSchedule,
    ): Promise<string[]> {
      await bringSweepRuns(resultsPath, document.sweep);
      const cells: ReportedCell[] = [];
      for (const cell of document.cells) cells.push(await readRecords(cell));
      const text = junit.render({ document, cells, base: resultsPath });
      await objects.put(junitObject(schedule), text);
      if (file === null) return [];
      try {
        await writeFileAtomic(file, text);
        return [];
      } catch (error) {
        return [`--junit ${file}: ${systemFailure(error) ?? 'cannot be written'}`];
      }
    }
  };

/** Whether a sweep is worse than the one before. One that cannot be compared counts as not tested. */
async function compareWith(
  resultsPath: string,
  before: string,
  sweep: string,
): Promise<{ gate: Gate; warnings: string[] }> {
  try {
    const comparison = await comparisonOf(resultsPath, before, sweep, {
      variants: [],
      warn: () => undefined,
    });
    return { gate: comparison.gate, warnings: comparedJudgeWarnings(comparison) };
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof InfrastructureError)) throw error;
    const reasons = [`cannot be compared with ${before}: ${error.message}`];
    return { gate: { result: 'not tested', reasons }, warnings: [] };
  }
}

const errorsOf = ({ cells }: SweepDocument): string[] =>
  [...new Set(cells.flatMap(({ outcome, message }) => (outcome === 'error' ? (message ?? []) : [])))].slice(
    0,
    MOST_REASONS,
  );
