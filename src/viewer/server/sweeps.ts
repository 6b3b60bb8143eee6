import { statSync } from 'node:fs';
import { join } from 'node:path';
import { bringResults } from '#client';
import {
  calibrationsIn,
  decisionMovers,
  decisionText,
  doneAgainText,
  judgeNotes,
  progressText,
  type SweepDocument,
  failureReason,
} from '#decide';
import { displayPath } from '#host';
import type { ResultDigest } from '#model';
import { sweepTables } from '#reports';
import type { Plan } from '#scenario';
import { isPaused, pausedFile, resultsIndex, resultsLog, runFiles, summaryFile, sweepsFolder } from '#store';
import { findPlan, hasEnded, readSweepList, sweepDocument } from '#sweeps';
import type { SweepAnswer, SweepsAnswer, SweepState } from '../protocol.js';
import type { Selection } from '../shared/select-runs.js';
import { sliceSweep } from '../shared/slice-sweep.js';
import type { EngineView } from './engine.js';
import { nextPoll, whenChanged } from './stream.js';

interface Source {
  resultsPath: string;
  engine: EngineView;
  warn: (text: string) => void;
}

/** A text that changes with a file, and with whether it is there. */
const stampOf = (path: string): string => {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '-' : `${stat.ino}.${stat.size}.${stat.mtimeMs}`;
};

/** Yields the newest sweeps, again whenever they have changed. */
export function sweepLists(
  { resultsPath, engine, warn }: Source,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<SweepsAnswer, void> {
  let open: string[] = [];
  const read = async (): Promise<SweepsAnswer> => {
    const { sweeps, more } = readSweepList(resultsPath, limit, warn);
    open = sweeps.flatMap(({ id, status }) => (status === 'open' ? [id] : []));
    return {
      sweeps: sweeps.map((sweep) => ({
        ...sweep,
        paused: sweep.status === 'open' && isPaused(resultsPath, sweep.id),
      })),
      more,
      place: displayPath(resultsPath),
      engine: await engine.isUp(),
    };
  };
  const stamp = async (): Promise<string> =>
    [
      ...[stampOf(resultsLog(resultsPath)), stampOf(sweepsFolder(resultsPath)), await engine.isUp()],
      ...open.flatMap((id) => [stampOf(summaryFile(resultsPath, id)), stampOf(pausedFile(resultsPath, id))]),
    ].join(' ');
  return whenChanged(stamp, read, signal);
}

/**
 * Yields a sweep, again whenever it has changed: also after its end, by a review or another round.
 * @throws UsageError if there is none
 */
export function sweepStates(
  source: Source,
  id: string,
  shown: PageSelection,
  signal: AbortSignal,
): AsyncGenerator<SweepAnswer, void> {
  return statesOf(source, findPlan(source.resultsPath, id), shown, signal);
}

/** The part of a sweep that a page shows. */
interface PageSelection {
  selection: Selection;
  /** The most runs. */
  limit: number;
}

async function* statesOf(
  { resultsPath, engine, warn }: Source,
  plan: Plan,
  { selection, limit }: PageSelection,
  signal: AbortSignal,
): AsyncGenerator<SweepAnswer, void> {
  const { lookNow } = bringResults(resultsPath, plan.sweep, warn);
  const stampOfReviews = reviewStamps(resultsPath);
  let [logged, stamped, sent, isOver] = ['', '', '', false];
  let document: SweepDocument | null = null;
  let last: ReadonlyMap<string, ResultDigest> = new Map();
  for (;;) {
    if (!isOver) lookNow();
    // Before anything is read, so that nothing that is written meanwhile is missed.
    isOver = hasEnded(resultsPath, plan);
    const log = stampOfSweep(resultsPath, plan);
    if (log !== logged) last = lastResults(resultsPath, plan);
    logged = log;
    const stamp = `${log} ${stampOfReviews(last)}`;
    if (document === null || stamp !== stamped) document = await sweepDocument(resultsPath, plan, warn);
    stamped = stamp;
    const state: SweepState = {
      document,
      started: plan.created_at,
      why: failureReasons(last),
      notes: notesOf(document),
      tables: sweepTables(document, Infinity),
      open: isOver ? [] : await engine.doing(plan.sweep, last),
      engine: await engine.isUp(),
    };
    const answer = sliceSweep(state, selection, limit);
    const text = JSON.stringify(answer);
    if (text !== sent) yield answer;
    sent = text;
    if (!(await nextPoll(signal, LOOK_MS))) return;
  }
}

const LOOK_MS = 700;

const stampOfSweep = (resultsPath: string, { sweep }: Plan): string =>
  [resultsLog(resultsPath), summaryFile(resultsPath, sweep), pausedFile(resultsPath, sweep)].map(stampOf).join(' ');

/**
 * Returns a function that returns a text that changes with the reviews of runs. It looks at thousands of files less
 * often: looking at one takes some microseconds, and there is a pause of a millisecond for each.
 */
function reviewStamps(resultsPath: string): (last: ReadonlyMap<string, ResultDigest>) => string {
  let known: { of: ReadonlyMap<string, ResultDigest>; at: number; stamp: string } | null = null;
  return (last) => {
    if (known === null || known.of !== last || Date.now() - known.at > last.size) {
      const folders = [...last.values()].flatMap(({ results_dir: folder }) => folder ?? []);
      const stamps = folders.map((folder) => stampOf(runFiles(join(resultsPath, folder)).evaluation));
      known = { of: last, at: Date.now(), stamp: stamps.join(' ') };
    }
    return known.stamp;
  };
}

export const failureReasons = (last: ReadonlyMap<string, ResultDigest>): Record<string, string> =>
  Object.fromEntries(
    [...last.values()].flatMap((line) => (line.outcome === 'pass' ? [] : [[line.cell, failureReason(line)] as const])),
  );

export const lastResults = (resultsPath: string, { sweep }: Plan): ReadonlyMap<string, ResultDigest> =>
  new Map(
    resultsIndex(resultsPath)
      .digests()
      .results.flatMap((line) => (line.sweep === sweep ? [[line.cell, line] as const] : [])),
  );

/** The notes on a sweep as a whole, in sentences: its decision, and reasons to doubt its results. */
export function notesOf(document: SweepDocument): string[] {
  const { decision, warnings = [] } = document;
  const again = doneAgainText(document.cells);
  return [
    ...(decision === undefined
      ? []
      : [[decisionText(decision), progressText(decision), ...decisionMovers(decision)].join('; ')]),
    ...(decision?.doubts ?? []),
    ...warnings,
    ...(again === null ? [] : [again]),
    ...judgeNotes(calibrationsIn(document)).map(({ text }) => text),
    ...(document.live === true ? ['Mocks were ignored: this sweep was live'] : []),
  ];
}
