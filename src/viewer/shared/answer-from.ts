import type { EmbeddedReport, ReportedRun } from '../protocol.js';
import { selectionIn } from './select-runs.js';
import { sliceSweep } from './slice-sweep.js';

/** What is answered: the lines of a stream, or one document. */
type Answer = { lines: readonly object[] } | { error: string };

const NOT_HERE = 'This file does not contain that.';
const MOST_RUNS = 100;

/** Answers a request as the server does, from the data of a report in a single file. */
export function answerFrom({ sweep, runs }: EmbeddedReport, path: string): Answer {
  const [address = '', query = ''] = path.split('?');
  const [, , kind, id = '', part] = address.split('/').map(decodeURIComponent);
  if (kind === 'sweeps' && id === sweep.document.sweep && part === undefined) {
    const asked = new URLSearchParams(query);
    return { lines: [sliceSweep(sweep, selectionIn(asked), Number(asked.get('limit') ?? MOST_RUNS))] };
  }
  if (kind !== 'runs' || !Object.hasOwn(runs, id)) return { error: NOT_HERE };
  const run = runs[id] ?? NOT_HERE;
  if (typeof run === 'string') return { error: run };
  const lines = partOf(run, part);
  return lines === null ? { error: NOT_HERE } : { lines };
}

function partOf(
  { answer, events, changes }: ReportedRun,
  part: string | undefined,
): readonly object[] | null {
  if (part === undefined) return [answer];
  if (part === 'events') return events;
  return part === 'changes' ? [changes] : null;
}
