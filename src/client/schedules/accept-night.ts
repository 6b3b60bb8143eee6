import type { Firing } from '#decide';
import { defined, suggest, UsageError } from '#lib';
import { configurationLabel } from '#model';
import type { StoredSchedule } from '#scenario';
import { firingsFrom, type ObjectStore, pullResults, sharedProjectOf, writeReference } from '#store';
import { nightOfFiring, reportNight } from '#sweeps';
import { noteAction } from '../note-action.js';

/**
 * Makes a night the reference of its schedule, and judges the newest night again by it. `sweep`: the sweep of the
 * night; absent: the newest.
 *
 * @throws UsageError if there is no such night, or it cannot be a reference
 */
export async function acceptNight(
  resultsPath: string,
  objects: ObjectStore,
  stored: StoredSchedule,
  sweep: string | undefined,
): Promise<Firing> {
  const { schedule } = stored;
  const firings = await firingsFrom(objects, schedule, '');
  const ended = firings.filter(({ exit_code }) => exit_code !== null);
  const newest = ended.at(-1);
  const accepted = sweep === undefined ? newest : firings.find((one) => one.sweep === sweep);
  if (newest === undefined || accepted === undefined) throw noNight(schedule, sweep, ended);
  const project = await sharedProjectOf(resultsPath);
  if (project !== null) await pullResults(project);
  const problem = problemOf(resultsPath, accepted);
  if (problem !== null)
    throw new UsageError(
      'bad_reference',
      `${accepted.sweep ?? accepted.firing} cannot be the reference: ${problem}; name another night with --night <sweep>, or run one with \`schedule trigger ${schedule}\``,
    );
  await noteAction(resultsPath, { verb: 'accept', schedule, ...defined({ sweep: accepted.sweep }) }, () => undefined);
  await writeReference(objects, {
    schema_version: 1,
    schedule,
    sweep: accepted.sweep ?? '',
    firing: accepted.firing,
    accepted_at: new Date().toISOString(),
  });
  if (newest.status !== 'completed') return newest;
  return reportNight(resultsPath, objects, stored, { ...newest, reasons: [] });
}

/** The reason why later nights cannot be compared with this one; null if they can. */
function problemOf(resultsPath: string, firing: Firing): string | null {
  if (firing.sweep === null || firing.status === 'not started') return 'it started no sweep';
  if (firing.status === 'running') return 'it has not ended';
  if (firing.status !== 'completed') return `its sweep was ${firing.status}`;
  const { counts } = nightOfFiring(resultsPath, firing);
  const missing = counts.filter(({ tested }) => tested === 0);
  if (counts.length > 0 && missing.length === 0) return null;
  if (missing.length === counts.length) return 'no run of it passed or failed';
  return `no run of ${missing.map((one) => configurationLabel(one)).join(', ')} passed or failed`;
}

function noNight(schedule: string, sweep: string | undefined, ended: readonly Firing[]): UsageError {
  if (sweep === undefined || ended.length === 0)
    return new UsageError(
      'bad_reference',
      `no night of ${schedule} has ended yet; run one with \`schedule trigger ${schedule} --wait\``,
    );
  const near = suggest(
    sweep,
    ended.flatMap((one) => one.sweep ?? []),
  );
  return new UsageError(
    'unknown_id',
    `'${sweep}' is no sweep of the schedule ${schedule}${near === null ? '' : `; did you mean '${near}'?`} (\`schedule show ${schedule}\` lists them)`,
  );
}
