import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { follow, joinSession, NO_EARLIER, type OpenRun, openRunsIn, tailEvents, waitingFor } from '#client';
import { readEngineState } from '#engine';
import { displayPath, isAlive, ownCommand, projectState } from '#host';
import { InfrastructureError, UsageError } from '#lib';
import { openProject } from '#planning';
import { sweepWorkflowId } from '#protocol';
import { eventLines } from '#reports';
import type { Plan } from '#scenario';
import { runFiles } from '#store';
import { findById, findSweep, hasEnded, uiPage } from '#sweeps';
import { liveView } from '../shared/live-view.js';
import { hasColor, printNotice } from '../shared/output.js';
import { plainView } from '../shared/plain-view.js';
import { catchSignals } from '../shared/signals.js';

const LOOK_MS = 250;
/** The most runs that a message names. */
const NAMED = 3;

/**
 * `show --follow`: shows a sweep or a run until it is over, without starting or changing anything. Returns the id of
 * what is to be shown now, or null if a signal ended the following.
 */
export async function followById(id: string, options: { json: boolean; results?: string }): Promise<string | null> {
  const { resultsPath } = openProject(options.results);
  const plan = findSweep(resultsPath, id);
  if (plan !== null) return hasEnded(resultsPath, plan) || (await followSweep(resultsPath, plan)) ? plan.sweep : null;
  const { folder: stateFolder } = projectState(resultsPath);
  const open = openRunsIn(stateFolder);
  const matching = open.filter(({ run }) => id !== '' && run.startsWith(id));
  const found = matching.find(({ run }) => run === id) ?? (matching.length === 1 ? matching[0] : undefined);
  if (found === undefined) return knownRun(resultsPath, id, open);
  const hasReport = await followRun(found, { resultsPath, stateFolder, json: options.json });
  return hasReport ? found.run : null;
}

/** Returns the id of a run that is over. @throws UsageError, with the runs that can be followed, if there is none */
async function knownRun(resultsPath: string, id: string, open: readonly OpenRun[]): Promise<string> {
  try {
    await findById(resultsPath, id);
    return id;
  } catch (error) {
    if (!(error instanceof UsageError) || error.code !== 'unknown_id' || open.length === 0) throw error;
    const named = open.slice(0, NAMED).map(({ run }) => run);
    const more = open.length > NAMED ? `, and ${open.length - NAMED} more` : '';
    throw new UsageError('unknown_id', `${error.message}; now running: ${named.join(', ')}${more}`);
  }
}

const notRunning = (sweep: string): string =>
  `the engine is not running, so ${sweep} makes no progress; continue it with ${ownCommand(`resume ${sweep}`)}`;

/** Returns false if a signal ended it. */
async function followSweep(resultsPath: string, plan: Plan): Promise<boolean> {
  const session = await joinSession(resultsPath, printNotice);
  if (session === null) {
    printNotice(notRunning(plan.sweep));
    return true;
  }
  const signals = catchSignals(() => undefined);
  const uiUrl = uiPage(session.engine, sweepWorkflowId(plan.sweep));
  const startedAt = Date.parse(plan.created_at);
  const view = process.stderr.isTTY ? liveView(session, plan, { uiUrl, startedAt, watchOnly: true }) : plainView(plan);
  if (!process.stderr.isTTY) printNotice(`following ${plan.sweep}; Ctrl-C stops watching, and the sweep continues`);
  try {
    const { interrupted } = await follow({
      session,
      plan,
      resultsPath,
      uiUrl,
      signals,
      view,
      earlier: NO_EARLIER,
      watchOnly: true,
    });
    if (interrupted) printNotice(`stopped watching; ${plan.sweep} continues`);
    return !interrupted;
  } finally {
    await session.close();
  }
}

/**
 * Prints what the agent does, line by line: to stdout, or with `--json`, whose document is alone there, to stderr.
 * Returns false if a signal ended it.
 *
 * @throws InfrastructureError if the run ends without a record
 */
async function followRun(
  { run, sweep, isOpen }: OpenRun,
  { resultsPath, stateFolder, json }: { resultsPath: string; stateFolder: string; json: boolean },
): Promise<boolean> {
  const files = runFiles(join(resultsPath, run));
  const stream = json ? process.stderr : process.stdout;
  const tail = tailEvents(files.liveEvents);
  const waiting = waitingFor(resultsPath, stateFolder, sweep);
  const signals = catchSignals(() => undefined);
  let noticed: string | null = null;
  printNotice(`following ${run}; Ctrl-C stops watching, and the run continues`);
  if (existsSync(files.workspace)) printNotice(`its workspace: ${displayPath(files.workspace)}`);
  try {
    for (;;) {
      // Before the events are read, so that none is missed.
      const open = isOpen();
      for (const event of tail.read())
        for (const line of eventLines(event, hasColor(stream))) stream.write(`${line}\n`);
      if (!open) break;
      if (signals.interrupted()) return false;
      const why = (await waiting()) ?? ((await hasEngine(stateFolder)) ? null : notRunning(sweep));
      if (why !== null && why !== noticed) printNotice(why);
      noticed = why;
      await sleep(LOOK_MS);
    }
  } finally {
    tail.close();
    signals.stop();
  }
  if (existsSync(files.run)) return true;
  throw new InfrastructureError(
    `${run} ended without a report; ${ownCommand(`show ${sweep}`)} shows the outcome of its cell`,
  );
}

async function hasEngine(stateFolder: string): Promise<boolean> {
  const engine = await readEngineState(stateFolder).catch(() => null);
  return engine !== null && isAlive(engine.keeper);
}
