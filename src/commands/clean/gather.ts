import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  type CleanFacts,
  type CleanPlan,
  type LineFact,
  planClean,
  type RunFact,
  type ScheduleFact,
  type SnapshotFact,
  type SweepFact,
} from '#decide';
import { identify, linesOf, readText, PROBE_FILE, sweepEnvFile, TEMPORARY } from '#host';
import { parseJson, sha256 } from '#lib';
import { EffectiveScenario, Plan, StoredSchedule } from '#scenario';
import {
  cleanFolder,
  objectsOf,
  opaqueId,
  parseResult,
  planFile,
  readReference,
  resultsLog,
  runFiles,
  scenarioFile,
  scheduleNames,
  AUDIT,
  SCHEDULES,
  scheduleText,
  storeFolder,
  summaryFile,
  sweepsFolder,
} from '#store';

/** The folders that `clean` looks at. */
export interface Places {
  results: string;
  state: string;
  work: string;
}

/** Where things are moved before they are deleted: those of the results, and those of the private state. */
export const trashFolders = ({ results, state }: Places): string[] => [cleanFolder(results), join(state, 'removed')];

/** The findings, and which of them can be deleted. */
export interface Proposal {
  facts: CleanFacts & { lines: readonly (LineFact & { bytes: number })[] };
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
  const { results, state } = places;
  // States of sweeps first, their plans last: a sweep that starts or ends in between counts as open.
  const ended = new Set(foldersIn(sweepsFolder(results)).filter((sweep) => hasEnded(places, sweep)));
  const sweepEnvs = namesIn(join(state, 'env')).flatMap((name) => /^(.*)\.json$/.exec(name)?.[1] ?? []);
  const lines = gatherLines(results);
  const runs = gatherRuns(places, lines);
  const sweeps = foldersIn(sweepsFolder(results)).flatMap((id) => sweepFact(results, id, ended.has(id)) ?? []);
  const schedules = await gatherSchedules(results);
  const named = new Set([...sweeps, ...schedules].flatMap(({ snapshots }) => snapshots));
  const snapshots = foldersIn(storeFolder(results))
    .filter(isHash)
    .map((hash) => snapshotFact(results, hash, named.has(hash)));
  const facts = { sweeps, lines, runs: runs.facts, schedules, snapshots, sweepEnvs };
  const known = new Set(sweeps.map(({ id }) => id));
  return {
    facts,
    plan: planClean(facts, before, only),
    runs,
    temporaries: abandonedTemporaries(places, now),
    unknownPaths: [
      ...runs.unknownPaths,
      ...namesIn(sweepsFolder(results)).flatMap((name) => (known.has(name) ? [] : join('sweeps', name))),
      ...namesIn(storeFolder(results)).flatMap((name) =>
        isHash(name) || TEMPORARY.test(name) ? [] : join('.store', name),
      ),
    ],
  };
}

const isHash = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);

const entriesIn = (folder: string) => orNull(() => readdirSync(folder, { withFileTypes: true })) ?? [];
/** The names in a folder; none if it cannot be read. */
const namesIn = (folder: string): string[] => entriesIn(folder).map(({ name }) => name);
/** The names of the folders in it, without symlinks. */
const foldersIn = (folder: string): string[] => entriesIn(folder).flatMap((one) => (one.isDirectory() ? one.name : []));
const changedAt = (file: string): number | null => lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;

/** Returns null if what is read is not there, or broken. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Reads the line of a result. Returns null if the line is invalid. */
export function lineFact(line: number, text: string): LineFact | null {
  const result = parseResult(text);
  if (typeof result === 'string') return null;
  const { id, sweep, cell, timestamp, results_dir: folder, cached_from: cachedFrom } = result;
  return { line, id, sweep, cell, startedAt: Date.parse(timestamp), folder, cachedFrom };
}

/** Reads the results in results.jsonl. Skips invalid lines, which `clean` keeps. */
function gatherLines(results: string): Proposal['facts']['lines'] {
  const log = resultsLog(results);
  if (changedAt(log) === null) return [];
  const facts: (LineFact & { bytes: number })[] = [];
  let [number, begin] = [0, 0];
  for (const { text, end } of linesOf(log, Infinity)) {
    const fact = lineFact(++number, text);
    if (fact !== null) facts.push({ ...fact, bytes: end - begin });
    begin = end;
  }
  return facts;
}

interface RunFolders {
  facts: RunFact[];
  /** Ids of the runs with a folder in the results folder. */
  inResults: Set<string>;
  /** Names of folders in the private state, by the id of their run. */
  inState: Map<string, string>;
  /** Names in the results folder that this program did not create. */
  unknownPaths: string[];
}

const OURS = new Set(['results.jsonl', 'sweeps', AUDIT, SCHEDULES, '.store', '.clean', PROBE_FILE]);

/**
 * Finds runs by their folders. A folder in the results is a run's if a result refers to it, it contains the run's
 * record, or the private state has a folder of that run. Nothing else names the run of a folder in the private state.
 */
function gatherRuns({ results, work }: Places, lines: readonly LineFact[]): RunFolders {
  // If several lines refer to a folder, the line of its own run counts
  const byLine = new Map([
    ...lines.map((line) => [line.folder, line] as const),
    ...lines.map((line) => [line.id, line] as const),
  ]);
  const folders = new Set(foldersIn(results));
  const owners = new Map([...folders, ...lines.map(({ id }) => id)].map((id) => [opaqueId(id), id]));
  const inState = new Map(foldersIn(work).map((name) => [owners.get(name) ?? name, name]));
  const others = namesIn(results).filter((name) => !OURS.has(name));
  const records = new Map(
    others.flatMap((name) => {
      const record = folders.has(name) && !byLine.has(name) ? recordOf(results, name) : null;
      return record === null ? [] : [[name, record] as const];
    }),
  );
  const isRun = (name: string): boolean =>
    folders.has(name) && (byLine.has(name) || records.has(name) || inState.has(name));
  const inResults = new Set(others.filter(isRun));
  const facts = [...new Set([...inResults, ...inState.keys()])].map((id): RunFact => {
    const { sweep = null, startedAt } = byLine.get(id) ?? records.get(id) ?? {};
    // The name of a private folder says nothing.
    const byOther = (): number => (inState.get(id) === id ? (changedAt(join(work, id)) ?? Date.now()) : timeInName(id));
    return { id, sweep, startedAt: startedAt ?? byOther() };
  });
  const unknownPaths = others.filter((name) => !inResults.has(name) && !TEMPORARY.test(name));
  return { facts, inResults, inState, unknownPaths };
}

const Record = z.object({ run_id: z.string(), sweep: z.string(), started_at: z.string() });

/**
 * Reads the record of a run that has no line, because it or a `clean` was interrupted. Null if there is no valid one.
 */
function recordOf(results: string, name: string): Omit<RunFact, 'id'> | null {
  const { run, artifacts } = runFiles(join(results, name));
  const isReal = lstatSync(artifacts, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isReal || lstatSync(run, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const { data } = Record.safeParse(parseJson(readText(run)));
  return data?.run_id === name ? { sweep: data.sweep, startedAt: Date.parse(data.started_at) } : null;
}

/** When a run was started that never wrote its report, as its name says. */
function timeInName(id: string): number {
  const [, date, time] = /^(\d{8})-(\d{6})-/.exec(id) ?? [];
  return Date.parse(`${date?.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time?.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`);
}

/**
 * True if a sweep has ended and was not continued afterwards. A command that continues a sweep passes values of
 * variables to it again, so their file is then newer than the summary.
 */
function hasEnded({ results, state }: Places, sweep: string): boolean {
  const end = changedAt(summaryFile(results, sweep));
  return end !== null && (changedAt(sweepEnvFile(state, sweep)) ?? end) <= end;
}

/** Reads the folder of a sweep. Null if it has neither plan nor summary, and so is none. */
function sweepFact(results: string, id: string, hasEnded: boolean): SweepFact | null {
  const state = hasEnded ? 'ended' : 'open';
  const file = planFile(results, id);
  if (changedAt(file) === null) {
    // An interrupted `clean` may have removed only the plan, which it removes first
    const startedAt = changedAt(summaryFile(results, id));
    return startedAt === null ? null : { id, state, startedAt, snapshots: [] };
  }
  const plan = orNull(() => Plan.parse(parseJson(readText(file))));
  if (plan === null) return { id, state: 'broken', startedAt: null, snapshots: [] };
  const startedAt = Date.parse(plan.created_at);
  return { id, state, startedAt: Number.isNaN(startedAt) ? null : startedAt, snapshots: hashesOf(plan) };
}

const hashesOf = ({ scenarios }: Pick<Plan, 'scenarios'>): string[] => scenarios.map(({ hash }) => hash);

/** Reads what schedules need: the snapshots of their plans, and the sweep that later ones are compared with. */
async function gatherSchedules(results: string): Promise<ScheduleFact[]> {
  const objects = await objectsOf(results);
  const facts: ScheduleFact[] = [];
  for (const schedule of await scheduleNames(objects)) {
    const reference = await readReference(objects, schedule);
    const text = (await scheduleText(objects, schedule))?.text ?? '';
    const stored = orNull(() => StoredSchedule.parse(JSON.parse(text)));
    facts.push({
      broken: stored === null,
      baseline: reference === null || reference === 'damaged' ? null : reference.sweep,
      snapshots: stored === null ? [] : hashesOf(stored.plan),
    });
  }
  return facts;
}

/** Of a scenario that a plan names, also reads which fixtures and checks it uses. */
function snapshotFact(results: string, hash: string, isNamed: boolean): SnapshotFact {
  if (!isNamed) return { hash, fixture: null, broken: false };
  const named = orNull(() => {
    const text = readText(scenarioFile(results, hash));
    return sha256(text) === hash ? Named.parse(JSON.parse(text)) : null;
  });
  return { hash, fixture: named?.fixture ?? null, checks: named?.checks, build: named?.build, broken: named === null };
}

const Named = EffectiveScenario.pick({ fixture: true, checks: true, build: true });

const HOUR = 3_600_000;

/**
 * True if the process that wrote a temporary file is gone. The file's name only has a pid, which may belong to another
 * process by now, or to one in another container that we cannot see. So the last change counts too.
 */
const isAbandoned = (ageMs: number, isAlive: boolean): boolean => ageMs > 24 * HOUR || (ageMs > HOUR && !isAlive);

/**
 * Returns paths of files and folders that dead processes left unfinished, and the trash of a `clean` that was killed.
 * Those of runs are deleted with the run.
 */
function abandonedTemporaries(places: Places, now: number): string[] {
  const { results, state } = places;
  const folders = [
    ...[results, storeFolder(results), cleanFolder(results)],
    ...foldersIn(sweepsFolder(results)).map((sweep) => join(sweepsFolder(results), sweep)),
    ...[state, ...['env', 'index', 'open-runs'].map((name) => join(state, name))],
  ];
  const trash = trashFolders(places).flatMap((folder) =>
    foldersIn(folder).flatMap((name) => (name.startsWith('trash-') ? join(folder, name) : [])),
  );
  const half = folders.flatMap((folder) =>
    namesIn(folder).flatMap((name) => {
      const path = join(folder, name);
      const pid = Number(TEMPORARY.exec(name)?.[1]);
      const at = Number.isNaN(pid) ? null : changedAt(path);
      return at !== null && isAbandoned(now - at, identify(pid) !== null) ? path : [];
    }),
  );
  return [...half, ...trash];
}
