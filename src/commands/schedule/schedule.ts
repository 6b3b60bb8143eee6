import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  acceptNight,
  backfill,
  callSchedule,
  findSchedule,
  joinSession,
  missingOnServer,
  noteAction,
  openSession,
  recordOfFiring,
  type Session,
  summarizeSchedule,
  sweepOfFiring,
  trigger,
} from '#client';
import { schedulesFolder } from '#engine';
import { isMirror, ownCommand } from '#host';
import { UsageError } from '#lib';
import { openProject } from '#planning';
import { renderSchedule, renderSchedules } from '#reports';
import {
  fetchSweep,
  firingsFrom,
  objectsOf,
  readReference,
  removeSettings,
  scheduleNames,
  sharedProjectOf,
  triggersFolder,
} from '#store';
import { findPlan } from '#sweeps';
import { followToEnd } from '../shared/follow-to-end.js';
import { printJson, printNotice, textOptions } from '../shared/output.js';
import { activate, printSchedule } from './create.js';

interface Options {
  results?: string;
  address?: string;
  json: boolean;
}

/** `schedule list`: shows all schedules, with their next times and results. Starts no engine. */
export async function listSchedules({ results, json }: Options): Promise<number> {
  const { resultsPath } = openProject(results);
  const objects = await objectsOf(resultsPath);
  const names = await scheduleNames(objects);
  const session = names.length === 0 ? null : await joinSession(resultsPath, printNotice);
  try {
    const schedules = [];
    for (const name of names) {
      try {
        const { stored } = await findSchedule(objects, name, resultsPath);
        schedules.push(await summarizeSchedule(session, objects, stored));
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        printNotice(`warning: ${error.message}`);
      }
    }
    if (json) printJson({ schedules });
    else if (schedules.length === 0)
      process.stdout.write(`no schedules yet; create one with ${ownCommand('schedule create')}\n`);
    else process.stdout.write(renderSchedules(schedules, Date.now(), textOptions()));
    if (session === null && schedules.length > 0)
      printNotice(
        isMirror(resultsPath)
          ? 'the Temporal server is not known; name it with --address or TEMPORAL_ADDRESS'
          : `the engine is not running; start it with ${ownCommand('engine start')}`,
      );
    return 0;
  } finally {
    await session?.close();
  }
}

/** `schedule show`: shows a schedule and its nights. Starts no engine. */
export async function showSchedule(name: string, { results, json }: Omit<Options, 'address'>): Promise<number> {
  const { resultsPath } = openProject(results);
  const objects = await objectsOf(resultsPath);
  const { stored } = await findSchedule(objects, name, resultsPath);
  const session = await joinSession(resultsPath, printNotice);
  try {
    const summary = await summarizeSchedule(session, objects, stored);
    const nights = await firingsFrom(objects, name, '');
    if (json) printJson({ ...summary, nights });
    else process.stdout.write(renderSchedule(summary, nights, Date.now(), textOptions()));
    return 0;
  } finally {
    await session?.close();
  }
}

/** `schedule accept`: makes a night the reference. Starts no engine. */
export async function acceptSchedule(
  name: string,
  { results, json, night }: Omit<Options, 'address'> & { night?: string },
): Promise<number> {
  const { resultsPath } = openProject(results);
  const objects = await objectsOf(resultsPath);
  const { stored } = await findSchedule(objects, name, resultsPath);
  const latest = await acceptNight(resultsPath, objects, stored, night);
  const reference = await readReference(objects, name);
  if (json) printJson({ schedule: name, reference, latest });
  else {
    printNotice(
      `accepted ${reference === null || reference === 'damaged' ? '' : reference.sweep}: later nights of ${name} are compared with it`,
    );
    printNotice(latest.text);
  }
  return 0;
}

/** `schedule pause`: stops a schedule from firing until `schedule resume`. A running sweep continues. */
export const pauseSchedule = (name: string, options: Options): Promise<number> =>
  withSchedule(name, options, async (session, found) => {
    await noteAction(session.engine.resultsPath, { verb: 'pause', schedule: name }, printNotice);
    const paused = await callSchedule(session, name, async (handle) => {
      await handle.pause();
      return true;
    });
    if (paused === null) throw missingOnServer(name);
    await printSchedule(session, await objectsOf(session.engine.resultsPath), found.stored, options.json);
    return 0;
  });

/** `schedule resume`: continues a paused schedule, and recreates it if the server has lost it. */
export const resumeSchedule = (name: string, options: Options): Promise<number> =>
  withSchedule(name, options, async (session, { stored }) => {
    await noteAction(session.engine.resultsPath, { verb: 'resume', schedule: name }, printNotice);
    await activate(session, stored);
    await callSchedule(session, name, (handle) => handle.unpause());
    await printSchedule(session, await objectsOf(session.engine.resultsPath), stored, options.json);
    return 0;
  });

/** `schedule delete`: deletes a schedule. Its results stay, and a running sweep continues. */
export async function deleteSchedule(name: string, options: Options): Promise<number> {
  return withSchedule(name, options, async (session) => {
    const { resultsPath } = session.engine;
    const objects = await objectsOf(resultsPath);
    await noteAction(resultsPath, { verb: 'delete', schedule: name }, printNotice);
    await callSchedule(session, name, (handle) => handle.delete());
    // Without its file, no firing of it begins.
    await removeSettings(objects, name);
    for (const order of await objects.list(triggersFolder(name)))
      await objects.remove(`${triggersFolder(name)}/${order}`);
    rmSync(join(schedulesFolder(session.stateFolder), name), { force: true });
    if (options.json) printJson({ deleted: name });
    else printNotice(`deleted the schedule ${name}; its results stay`);
    return 0;
  });
}

/**
 * `schedule trigger`: fires a schedule now. With `--wait`, follows its sweep, and returns the exit code of the firing.
 */
export const triggerSchedule = (name: string, options: Options & { wait: boolean }): Promise<number> =>
  withSchedule(name, options, async (session, found) => {
    const { resultsPath } = session.engine;
    const objects = await objectsOf(resultsPath);
    await noteAction(resultsPath, { verb: 'trigger', schedule: name }, printNotice);
    const fired = await trigger(session, objects, found);
    if (fired === null) {
      const note = 'another sweep of this schedule is running; this one starts after it';
      if (options.json) printJson({ schedule: name, queued: true, sweep: null });
      else printNotice(note);
      return 0;
    }
    const sweep = await sweepOfFiring(session, fired);
    if (!options.wait) {
      if (options.json) printJson({ schedule: name, queued: false, sweep });
      else if (sweep !== null) printNotice(`started ${sweep}; follow it with ${ownCommand(`resume ${sweep}`)}`);
      return 0;
    }
    if (sweep !== null) {
      const print = options.json ? { print: () => undefined } : {};
      // A host has planned it.
      const shared = await sharedProjectOf(resultsPath);
      if (shared !== null) await fetchSweep(shared, sweep);
      await followToEnd(session, findPlan(resultsPath, sweep), resultsPath, false, print);
    }
    const record = await recordOfFiring(session, objects, name, fired);
    if (options.json) printJson(record);
    else printNotice(record.text);
    return record.exit_code ?? 3;
  });

/** `schedule backfill`: runs the sweeps of times that had no firing, one after another. */
export const backfillSchedule = (
  name: string,
  { from, to = new Date(), ...options }: Options & { from: Date; to?: Date },
): Promise<number> =>
  withSchedule(name, options, async (session, found) => {
    const objects = await objectsOf(session.engine.resultsPath);
    const last = Math.min(to.getTime(), Date.now());
    await noteAction(session.engine.resultsPath, { verb: 'backfill', schedule: name }, printNotice);
    const times = await backfill(session, objects, found, { from: from.getTime() - 1, to: last });
    const shown = times.map((at) => new Date(at).toISOString());
    if (options.json) printJson({ schedule: name, backfilled: shown });
    else printNotice(`a sweep is run for each of these times, one after another: ${shown.join(', ')}`);
    return 0;
  });

async function withSchedule(
  name: string,
  { results, address }: Options,
  perform: (session: Session, found: Awaited<ReturnType<typeof findSchedule>>) => Promise<number>,
): Promise<number> {
  const { resultsPath } = openProject(results);
  const found = await findSchedule(await objectsOf(resultsPath), name, resultsPath);
  const session = await openSession(resultsPath, printNotice, address === undefined ? {} : { address });
  try {
    return await perform(session, found);
  } finally {
    await session.close();
  }
}
