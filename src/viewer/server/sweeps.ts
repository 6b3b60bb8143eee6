import { bringResults } from '#client';
import { displayPath } from '#host';
import { omit } from '#lib';
import type { Plan } from '#scenario';
import { isPaused, pausedFile, resultsLog, summaryFile, sweepsFolder } from '#store';
import { findPlan, hasEnded, readSweepList } from '#sweeps';
import type { SweepAnswer, SweepsAnswer } from '../protocol.js';
import type { Selection } from '../shared/selection.js';
import { runTable, sliceSweep, type TablePart } from '../shared/slice-sweep.js';
import type { EngineView } from './engine.js';
import { nextPoll, whenChanged } from './stream.js';
import { type ReadSweep, stampOf, type SweepReader } from './sweep-reader.js';

interface Source {
  resultsPath: string;
  engine: EngineView;
  warn: (text: string) => void;
}

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
  source: SweepSource,
  id: string,
  shown: PageSelection,
  signal: AbortSignal,
): AsyncGenerator<SweepAnswer, void> {
  return statesOf(source, findPlan(source.resultsPath, id), shown, signal);
}

interface SweepSource extends Source {
  sweeps: SweepReader;
}

/** The part of a sweep that a page shows. */
interface PageSelection {
  selection: Selection;
  part: TablePart;
}

async function* statesOf(
  { resultsPath, engine, sweeps, warn }: SweepSource,
  plan: Plan,
  { selection, part }: PageSelection,
  signal: AbortSignal,
): AsyncGenerator<SweepAnswer, void> {
  const { lookNow } = bringResults(resultsPath, plan.sweep, warn);
  let [before, sent, isOver]: [ReadSweep | null, string, boolean] = [null, '', false];
  for (;;) {
    if (!isOver) lookNow();
    // Before anything is read, so that nothing that is written meanwhile is missed.
    isOver = hasEnded(resultsPath, plan);
    const read = await sweeps.read(plan);
    const open = isOver ? [] : await engine.doing(plan.sweep, read.last);
    const now = JSON.stringify([open, await engine.isUp()]);
    if (read !== before || now !== sent) {
      const { table } = read;
      const state = { ...omit(read, 'last', 'table'), open, engine: await engine.isUp() };
      yield sliceSweep(state, open.length === 0 ? table : runTable(state), selection, part, sweeps);
    }
    [before, sent] = [read, now];
    if (!(await nextPoll(signal, LOOK_MS))) return;
  }
}

const LOOK_MS = 700;
