import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { failureReason, type SweepDocument } from '#decide';
import { linesOf } from '#host';
import { parseJson } from '#lib';
import { EventBody, type ResultDigest, type RunEvent } from '#model';
import { gateTitle } from '#model/pure';
import { sweepTables } from '#reports';
import type { Plan } from '#scenario';
import { pausedFile, resultsIndex, resultsLog, runFiles, summaryFile } from '#store';
import { sweepDocument } from '#sweeps';
import type { ListedRun, SweepState } from '../protocol.js';
import { cellKey } from '../shared/counterparts.js';
import { endOfOutput } from '../shared/end-of-output.js';
import { type RunTable, runTable } from '../shared/slice-sweep.js';
import { notesOf } from './notes.js';

/** The part of a sweep's state that is in files. */
export interface ReadSweep extends Omit<SweepState, 'open' | 'engine'> {
  /** The last result of each cell. */
  last: ReadonlyMap<string, ResultDigest>;
  /** The table, as long as no run is open. */
  table: RunTable;
}

/** Reads sweeps for pages, and again only when their files have changed: a filter or a scroll asks once more. */
export interface SweepReader {
  /** Returns the same object as long as nothing has changed. */
  read(plan: Plan): Promise<ReadSweep>;
  /** The end of what the agent of a run said; null if it is unknown. */
  endOf(run: Pick<ListedRun, 'outcome' | 'results_dir'>): string | null;
  /** The outcomes of a sweep by `cellKey`. */
  outcomesOf(sweep: string): ReadonlyMap<string, string>;
}

/** Sweeps that are kept in memory, for several tabs. */
const MAX_SWEEPS = 3;
/** Runs whose last words are kept in memory. */
const MAX_ENDS = 2000;

interface Kept {
  log: string;
  last: ReadonlyMap<string, ResultDigest>;
  reviews: () => string;
  stamp: string;
  value: Promise<ReadSweep>;
}

export function sweepReader(resultsPath: string, warn: (text: string) => void): SweepReader {
  const kept = new Map<string, Kept>();
  const ends = new Map<string, string | null>();
  return {
    read(plan) {
      const log = stampOfSweep(resultsPath, plan);
      const before = kept.get(plan.sweep);
      const isSame = before?.log === log;
      const last = isSame ? before.last : lastResults(resultsPath, plan.sweep);
      const reviews = isSame ? before.reviews : reviewStamps(resultsPath, last);
      const stamp = `${log} ${reviews()}`;
      if (before?.stamp === stamp) return before.value;
      const value = readSweep(resultsPath, plan, last, warn);
      kept.delete(plan.sweep);
      kept.set(plan.sweep, { log, last, reviews, stamp, value });
      dropOldest(kept, MAX_SWEEPS);
      value.catch(() => kept.delete(plan.sweep));
      return value;
    },
    endOf({ outcome, results_dir: folder }) {
      if (outcome === null || folder === null) return null;
      const known = ends.get(folder);
      if (known !== undefined) return known;
      const end = endOfOutput(lastEvents(runFiles(folder).events));
      ends.set(folder, end);
      dropOldest(ends, MAX_ENDS);
      return end;
    },
    outcomesOf: (sweep) =>
      new Map(
        [...lastResults(resultsPath, sweep).values()].map((line) => [
          cellKey({ ...line, scenario: line.scenario_id }),
          line.outcome,
        ]),
      ),
  };
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

async function readSweep(
  resultsPath: string,
  plan: Plan,
  last: ReadonlyMap<string, ResultDigest>,
  warn: (text: string) => void,
): Promise<ReadSweep> {
  const document: SweepDocument = await sweepDocument(resultsPath, plan, warn);
  const shown = {
    document,
    why: failureReasons(last),
    failed: failedGates(last),
    others: otherSweeps(resultsPath, plan),
  };
  return {
    ...shown,
    table: runTable({ ...shown, open: [] }),
    started: plan.created_at,
    notes: notesOf(document),
    tables: sweepTables(document, Infinity),
    last,
  };
}

/** A text that changes with a file, and with whether it is there. */
export const stampOf = (path: string): string => {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '-' : `${stat.ino}.${stat.size}.${stat.mtimeMs}`;
};

const stampOfSweep = (resultsPath: string, { sweep }: Plan): string =>
  [resultsLog(resultsPath), summaryFile(resultsPath, sweep), pausedFile(resultsPath, sweep)].map(stampOf).join(' ');

/**
 * Returns a function that returns a text that changes with the reviews of runs. It looks at thousands of files less
 * often: looking at one takes some microseconds, and there is a pause of a millisecond for each.
 */
function reviewStamps(resultsPath: string, last: ReadonlyMap<string, ResultDigest>): () => string {
  let [at, stamp] = [-Infinity, ''];
  return () => {
    if (Date.now() - at <= last.size) return stamp;
    const folders = [...last.values()].flatMap(({ results_dir: folder }) => folder ?? []);
    stamp = folders.map((folder) => stampOf(runFiles(join(resultsPath, folder)).evaluation)).join(' ');
    at = Date.now();
    return stamp;
  };
}

export const lastResults = (resultsPath: string, sweep: string): ReadonlyMap<string, ResultDigest> =>
  new Map(
    resultsIndex(resultsPath)
      .digests()
      .results.flatMap((line) => (line.sweep === sweep ? [[line.cell, line] as const] : [])),
  );

export const failureReasons = (last: ReadonlyMap<string, ResultDigest>): SweepState['why'] =>
  Object.fromEntries(
    [...last.values()].flatMap((line) => (line.outcome === 'pass' ? [] : [[line.cell, failureReason(line)] as const])),
  );

/** The gates that did not pass, by their types and titles. */
export const failedGates = (last: ReadonlyMap<string, ResultDigest>): SweepState['failed'] =>
  Object.fromEntries(
    [...last.values()].flatMap(({ cell, metrics }) => {
      const gates = (metrics?.details ?? []).filter(({ passed }) => !passed);
      return gates.length === 0
        ? []
        : [[cell, [...new Set(gates.flatMap((gate) => [gate.gate_type, gateTitle(gate)]))]] as const];
    }),
  );

/** More sweeps are not offered. */
const MAX_OTHERS = 20;

/** The sweeps with results of some of the same scenarios, newest first. */
function otherSweeps(resultsPath: string, { sweep: own, scenarios }: Plan): string[] {
  const names = new Set(scenarios.map(({ name }) => name));
  const newest = new Map<string, string>();
  for (const { sweep, scenario_id: scenario, timestamp } of resultsIndex(resultsPath).digests().results)
    if (sweep !== own && names.has(scenario) && timestamp > (newest.get(sweep) ?? '')) newest.set(sweep, timestamp);
  return [...newest]
    .sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0))
    .map(([sweep]) => sweep)
    .slice(0, MAX_OTHERS);
}

/** More is not read to find the last words of an agent. */
const END_BYTES = 64 * 1024;

/** The events at the end of a file; none if it cannot be read. */
function lastEvents(file: string): RunEvent[] {
  if (!existsSync(file)) return [];
  const from = Math.max(0, statSync(file).size - END_BYTES);
  const lines = [...linesOf(file, Infinity, from)].slice(from === 0 ? 0 : 1);
  return lines.flatMap(({ text }) => {
    const event = parseJson(text);
    return EventBody.safeParse(event).success ? [event as unknown as RunEvent] : [];
  });
}
