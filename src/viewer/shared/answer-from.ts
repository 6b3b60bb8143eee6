import type { EmbeddedReport, ReportedRun, ShownEvent } from '../protocol.js';
import { endOfOutput } from './end-of-output.js';
import { findIn, MAX_MATCHES } from './find-text.js';
import { selectionIn } from './selection.js';
import { runTable, sliceSweep } from './slice-sweep.js';

/** The answer: the lines of a stream, or one document. */
type Answer = { lines: readonly object[] } | { error: string };

const NOT_HERE = 'This file does not contain that.';

/** More are not sent unless they are asked for. */
export const USUAL_RUNS = 100;

/** Answers a request as the server does, from the data of a report in a single file. */
export function answerFrom({ sweep, runs }: EmbeddedReport, path: string): Answer {
  const [address = '', query = ''] = path.split('?');
  const [, , kind, id = '', part, number] = address.split('/').map(decodeURIComponent);
  if (kind === 'sweeps' && id === sweep.document.sweep && part === undefined) {
    const asked = new URLSearchParams(query);
    const shown = { from: Number(asked.get('from') ?? 0), limit: Number(asked.get('limit') ?? USUAL_RUNS) };
    const more = { endOf: endsIn(runs), outcomesOf: () => new Map<string, string>() };
    return { lines: [sliceSweep(sweep, runTable(sweep), selectionIn(asked), shown, more)] };
  }
  if (kind !== 'runs' || !Object.hasOwn(runs, id)) return { error: NOT_HERE };
  const run = runs[id] ?? NOT_HERE;
  if (typeof run === 'string') return { error: run };
  const lines = partOf(run, { part, number }, new URLSearchParams(query));
  return lines === null ? { error: NOT_HERE } : { lines };
}

const eventsIn = ({ events }: ReportedRun): ShownEvent[] =>
  events.flatMap((line) => ('events' in line ? line.events : []));

/** The ends of what agents said, as far as the file has them. */
const endsIn =
  (runs: EmbeddedReport['runs']) =>
  ({ results_dir: id }: { results_dir: string | null }): string | null => {
    const run = id !== null && Object.hasOwn(runs, id) ? runs[id] : undefined;
    return run === undefined || typeof run === 'string' ? null : endOfOutput(eventsIn(run));
  };

function partOf(
  run: ReportedRun,
  { part, number }: { part: string | undefined; number: string | undefined },
  query: URLSearchParams,
): readonly object[] | null {
  switch (part) {
    case undefined:
      return [run.answer];
    case 'events':
      return number === undefined ? run.events : eventsIn(run).filter(({ seq }) => seq === Number(number));
    case 'matches': {
      const found = eventsIn(run).flatMap((event) => findIn(event, query.get('text') ?? '') ?? []);
      return [{ matches: found.slice(0, MAX_MATCHES), more: Math.max(0, found.length - MAX_MATCHES) }];
    }
    case 'changes':
      return [run.changes];
    default:
      return null;
  }
}
