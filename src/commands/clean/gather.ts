import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type CleanFacts, type CleanPlan, planClean, type ScheduleFact } from '#decide';
import { identify, TEMPORARY } from '#host';
import { StoredSchedule } from '#scenario';
import { cleanFolder, objectsOf, readReference, scheduleNames, scheduleText, storeFolder, sweepsFolder } from '#store';
import { foldersIn, gatherLines, gatherRuns, namesIn, type RunFolders } from './gather-runs.js';
import { endedSweeps, gatherSnapshots, gatherSweeps, unknownPaths } from './gather-sweeps.js';

/** The folders that `clean` looks at. */
export interface Places {
  results: string;
  state: string;
  work: string;
}

/** The findings, and which of them can be deleted. */
export interface Proposal {
  facts: CleanFacts;
  plan: CleanPlan;
  runs: RunFolders;
  temporaries: string[];
  /** Paths in the results folder that this program did not create. */
  unknownPaths: string[];
}

/**
 * Looks at results and private state, and determines what can be deleted of runs that started before `before`. `only`:
 * the only sweep whose runs can be deleted.
 */
export async function propose(places: Places, before: number, now: number, only?: string): Promise<Proposal> {
  // States of sweeps first, their plans last: a sweep that starts or ends in between counts as open.
  const ended = endedSweeps(places.results, places.state);
  const sweepEnvs = sweepsWithValues(places.state);
  const lines = gatherLines(places.results);
  const runs = gatherRuns(places.results, places.work, lines);
  const sweeps = gatherSweeps(places.results, ended);
  const schedules = await gatherSchedules(places.results);
  const facts: CleanFacts = {
    sweeps,
    lines,
    runs: runs.facts,
    schedules,
    snapshots: gatherSnapshots(places.results, [...sweeps, ...schedules]),
    sweepEnvs,
  };
  return {
    facts,
    plan: planClean(facts, before, only),
    runs,
    temporaries: abandonedTemporaries(places.results, places.state, now),
    unknownPaths: [...runs.unknownPaths, ...unknownPaths(places.results, sweeps)],
  };
}

function sweepsWithValues(state: string): string[] {
  const folder = join(state, 'env');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
}

/** Reads what schedules need: the snapshots of their plans, and the sweep that later ones are compared with. */
async function gatherSchedules(results: string): Promise<ScheduleFact[]> {
  const objects = await objectsOf(results);
  const facts: ScheduleFact[] = [];
  for (const schedule of await scheduleNames(objects)) {
    const reference = await readReference(objects, schedule);
    const hashes = snapshotsIn((await scheduleText(objects, schedule))?.text ?? '');
    facts.push({
      broken: hashes === null,
      baseline: reference === null || reference === 'damaged' ? null : reference.sweep,
      snapshots: hashes ?? [],
    });
  }
  return facts;
}

/** Returns null if the text is not that of a schedule. */
function snapshotsIn(text: string): string[] | null {
  try {
    return StoredSchedule.parse(JSON.parse(text)).plan.scenarios.map(({ hash }) => hash);
  } catch {
    return null;
  }
}

const HOUR = 3_600_000;

/**
 * True if the process that wrote a temporary file is gone. The file's name only has a pid, which may belong to another
 * process by now, or to one in another container that we cannot see. So the last change counts too.
 */
const isAbandoned = (ageMs: number, isAlive: boolean): boolean => ageMs > 24 * HOUR || (ageMs > HOUR && !isAlive);

/** Returns paths of files and folders that dead processes left unfinished. Those of runs are deleted with the run. */
function abandonedTemporaries(results: string, stateFolder: string, now: number): string[] {
  const folders = [
    results,
    storeFolder(results),
    cleanFolder(results),
    ...foldersIn(sweepsFolder(results)).map((sweep) => join(sweepsFolder(results), sweep)),
    ...[stateFolder, ...['env', 'index', 'open-runs'].map((name) => join(stateFolder, name))],
  ];
  return folders.flatMap((folder) =>
    namesIn(folder)
      .map((name) => ({ path: join(folder, name), pid: Number(TEMPORARY.exec(name)?.[1]) }))
      .filter(({ path, pid }) => {
        const info = Number.isNaN(pid) ? undefined : lstatSync(path, { throwIfNoEntry: false });
        return info !== undefined && isAbandoned(now - info.mtimeMs, identify(pid) !== null);
      })
      .map(({ path }) => path),
  );
}
