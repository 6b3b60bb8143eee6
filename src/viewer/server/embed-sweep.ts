import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SweepCell } from '#decide';
import { formatBytes, groupBy } from '#lib';
import { isOpen, sweepTables } from '#reports';
import type { Plan } from '#scenario';
import { readEvents, runFiles } from '#store';
import { readRecords, sweepDocument } from '#sweeps';
import type { EmbeddedReport, EventsLine, ReportedRun, ShownEvent, Sibling } from '../protocol.js';
import { selectionKey } from '../shared/configuration.js';
import { importantFirst } from '../shared/selection.js';
import { changesInFolder } from './changes.js';
import { shownEvent } from './events.js';
import { ended } from './runs.js';
import { notesOf } from './notes.js';
import { failedGates, failureReasons, lastResults } from './sweep-reader.js';

/** The most of a run's events and changed files, in bytes of JSON. */
const MAX_RUN_BYTES = 256 * 1024;
/** The most of all pages of runs, in bytes of JSON. */
const MAX_RUNS_BYTES = 16 * 1024 * 1024;

interface Limits {
  ofRun: number;
  ofRuns: number;
}

/**
 * Gathers what a report in a single file contains: the sweep, and the pages of its runs as far as the limits allow,
 * first those that did not pass. It says what is left out, and contains no path of this machine.
 */
export async function embedSweep(
  resultsPath: string,
  plan: Plan,
  warn: (text: string) => void,
  { ofRun, ofRuns }: Limits = { ofRun: MAX_RUN_BYTES, ofRuns: MAX_RUNS_BYTES },
): Promise<EmbeddedReport> {
  const document = await sweepDocument(resultsPath, plan, warn);
  const siblings = siblingsIn(document.cells);
  const runs: EmbeddedReport['runs'] = {};
  let [left, whole, missing] = [ofRuns, 0, 0];
  for (const cell of importantFirst(document.cells.map((one) => ({ ...one, look: one.outcome ?? 'waiting' })))) {
    const id = idOf(cell);
    if (id === null || Object.hasOwn(runs, id)) continue;
    const found = left <= 0 ? null : await embedRun(resultsPath, cell, siblings, ofRun);
    const bytes = found === null ? 0 : JSON.stringify(found).length;
    if (typeof found === 'string') missing += 1;
    if (found === null || bytes > left) {
      left = 0;
      runs[id] = `The page of this run is left out. ${SEE_ALL}`;
      continue;
    }
    left -= bytes;
    whole += 1;
    runs[id] = found;
  }
  const count = Object.keys(runs).length;
  const notes = [
    ...(isOpen(document) ? ['The sweep has not ended. These are the results so far'] : []),
    ...notesOf(document),
    ...(missing === 0 ? [] : [`Runs that were deleted or cannot be read: ${missing}`]),
    ...(whole === count
      ? []
      : [
          `This file has the pages of ${whole} of ${count} runs, first those that did not pass: more would be larger than ${formatBytes(ofRuns)}. ${SEE_ALL}`,
        ]),
  ];
  const last = lastResults(resultsPath, plan.sweep);
  const cells = document.cells.map((cell) => ({ ...cell, results_dir: idOf(cell) }));
  return {
    sweep: {
      document: { ...document, ui_url: null, cells },
      started: plan.created_at,
      why: failureReasons(last),
      failed: failedGates(last),
      others: [],
      notes,
      tables: sweepTables(document, Infinity),
      open: [],
      engine: true,
    },
    runs,
  };
}

const SEE_ALL = '`llm-tool-test view` shows all where the results are.';

/** The id of a run is the name of its folder. */
const idOf = ({ results_dir: folder }: SweepCell): string | null => (folder === null ? null : basename(folder));

/** Returns why a run cannot be shown if its files are gone or broken. */
async function embedRun(
  resultsPath: string,
  cell: SweepCell,
  siblings: ReadonlyMap<string, Sibling[]>,
  ofRun: number,
): Promise<ReportedRun | string> {
  const { records, missing } = readRecords(cell);
  if (records === null || cell.results_dir === null)
    return `Nothing more is known about this run: ${missing ?? 'nothing was run'}.`;
  const { run, metrics } = records;
  const changes = await changesInFolder(resultsPath, cell.results_dir);
  const tooLong = JSON.stringify(changes).length > ofRun;
  return {
    answer: ended(
      { run, metrics },
      { human: cell.human ?? null, uiUrl: null, siblings: siblings.get(selectionKey(cell)) ?? [], workspace: null },
    ),
    events: eventsIn(runFiles(cell.results_dir).events, ofRun),
    changes: tooLong
      ? {
          files: [],
          more: 0,
          missing: `they are larger than ${formatBytes(ofRun)}, and left out of this file`,
        }
      : changes,
  };
}

function siblingsIn(cells: readonly SweepCell[]): Map<string, Sibling[]> {
  const own = cells.filter(({ cached }) => !cached);
  return new Map(
    groupBy(own, selectionKey).map((group) => [
      selectionKey(group[0] as SweepCell),
      group.flatMap((cell) => {
        const run = idOf(cell);
        const { outcome, repetition } = cell;
        return run === null || outcome === null ? [] : { run, outcome, repetition };
      }),
    ]),
  );
}

/** Reads the beginning and the end of what an agent did, as much as there may be of each. */
function eventsIn(file: string, most: number): EventsLine[] {
  if (!existsSync(file)) return [];
  const begin: ShownEvent[] = [];
  let end: { event: ShownEvent; bytes: number }[] = [];
  let [ofBegin, ofEnd, leftOut] = [0, 0, 0];
  let isCut = false;
  try {
    for (const whole of readEvents(file)) {
      const event = shownEvent(whole);
      isCut ||= event.cut !== undefined;
      // There is nothing to get the rest from.
      delete event.cut;
      const bytes = JSON.stringify(event).length;
      if (end.length === 0 && leftOut === 0 && ofBegin + bytes <= most / 2) {
        begin.push(event);
        ofBegin += bytes;
        continue;
      }
      end.push({ event, bytes });
      ofEnd += bytes;
      while (ofEnd > most / 2) {
        ofEnd -= end[0]?.bytes ?? 0;
        end = end.slice(1);
        leftOut += 1;
      }
    }
  } catch (error) {
    return [{ events: begin }, { problem: (error as Error).message }];
  }
  const lines: EventsLine[] = [{ events: [...begin, ...end.map(({ event }) => event)] }];
  const problems = [
    ...(leftOut > 0 ? [`${leftOut} events in the middle are left out of this file.`] : []),
    ...(isCut ? ['Long texts are cut in this file.'] : []),
  ];
  return problems.length === 0 ? lines : [...lines, { problem: `${problems.join(' ')} ${SEE_ALL}` }];
}

/**
 * Returns the page of the viewer as a single file that contains its data, so that it can be sent to others and opened
 * without a server. Its policy allows its own script and style only: it loads nothing, and nothing in the data can run.
 *
 * @param pages folder of the built page
 */
export function reportPage(report: EmbeddedReport, pages: string): string {
  const read = (name: string): string => readFileSync(join(pages, name), 'utf8');
  // In a script, this can only be in a text or a comment.
  const script = read('app.js').replaceAll('</script', '<\\/script');
  const style = read('app.css');
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash(script)}'`,
    `style-src 'sha256-${hash(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>llm-tool-test</title>
<link rel="icon" href="data:,">
<style>${style}</style>
<script type="application/json" id="report">${escaped(JSON.stringify(report))}</script>
</head>
<body>
<div id="app"><noscript>This report needs JavaScript. \`llm-tool-test report\` writes others that do not.</noscript></div>
<script type="module">${script}</script>
</body>
</html>
`;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64');

/** JSON in which nothing can end the script element or begin a comment. */
const escaped = (json: string): string => json.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
