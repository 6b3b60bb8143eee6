import type { FiringEnd } from '#protocol';
import { objectsOf, pullResults, readFiring, removeUsedTriggers, sharedProjectOf } from '#store';
import { reportNight } from '#sweeps';
import type { Deps } from './step/deps.js';
import { refusal, verifySchedule } from './step/verify-firing.js';

/** Writes the result of a firing: the comparison with the reference, the exit code and the JUnit report. */
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
    // also those of earlier nights, which other hosts may have run
    const project = begun.sweep === null ? null : await sharedProjectOf(resultsPath);
    if (project !== null) await pullResults(project);
    const lost = message === undefined ? [] : [`the workflow of the sweep did not complete: ${message}`];
    const { exit_code: exitCode } = await reportNight(resultsPath, objects, stored, {
      ...begun,
      ...{ status, ended_at: new Date().toISOString() },
      reasons: begun.sweep === null ? begun.reasons : lost,
    });
    await removeUsedTriggers(objects, ref.schedule);
    return { exitCode: exitCode ?? 3, webhook: stored.webhook !== null };
  };
