import { createHash } from 'node:crypto';
import { formatCost } from '../../lib/format/dollars.js';
import { formatDuration } from '../../lib/format/duration.js';
import { calibrationsIn } from '../../results/calibration/document.js';
import { judgeNotes } from '../../results/calibration/judge-notes.js';
import type { SweepDocument } from '../../results/records/sweep-document.js';
import { unfinishedCells } from '../../results/totals.js';
import { decisionText, progressText } from '../../results/decision/decision-text.js';
import { parameterTables } from '../parameter-tables.js';
import { cellNamer, isOpen, totalCost } from '../sweep-labels.js';
import { effortOf, tokenText } from './effort.js';
import { cellDetails } from './html-cell.js';
import { matrixTable } from './html-matrix.js';
import { style } from './html-style.js';
import { markup, type Markup } from './markup.js';
import type { SweepFormat, SweepReport } from './sweep-report.js';

/** One page for a browser, without scripts and external resources: outcomes first, then every cell. */
export const html: SweepFormat = { render: page };

/** Allows the page's own style only: nothing else is loaded or run. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

function page(report: SweepReport): string {
  const { document, cells } = report;
  const { cells: all, passed } = document.totals;
  const nameOf = cellNamer(document.cells);
  const title = `${passed} of ${all} passed`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title} · ${document.sweep} · llm-tool-test</title>
<style>${{ markup: style }}</style>
</head>
<body>
<main>
<header>
<p class="soft">llm-tool-test · sweep <span class="mono">${document.sweep}</span> ${statusChip(document)}</p>
<h1>${title}</h1>
${progressBar(document)}
${tiles(report)}
</header>
${notes(report)}
<section>
<h2>Outcomes</h2>
${matrixTable(document.cells)}
</section>
${byParameter(document)}<section>
<div class="above"><h2>Cells</h2><label><input type="checkbox" id="problems"> only cells that did not pass</label></div>
${cells.map((reported, at) => cellDetails(reported, { at, name: nameOf(reported.cell), base: report.base }))}
</section>
</main>
</body>
</html>
`.markup;
}

const statusChip = (document: SweepDocument): Markup =>
  document.status === 'completed'
    ? markup``
    : markup`<span class="chip cancelled">${isOpen(document) ? 'not finished' : document.status}</span>`;

/** Draws the shares of the outcomes. It is an SVG because the policy forbids style attributes. */
function progressBar({ totals }: SweepDocument): Markup {
  const shares: [string, number][] = [
    ['pass', totals.passed],
    ['fail', totals.failed],
    ['error', totals.errored],
    ['cancelled', totals.cancelled],
  ];
  let from = 0;
  const parts = shares.flatMap(([outcome, count]) => {
    const part = markup`<rect class="${outcome}" x="${from}" y="0" width="${count}" height="1"/>`;
    from += count;
    return count === 0 ? [] : [part];
  });
  return markup`<svg class="bar" viewBox="0 0 ${Math.max(1, totals.cells)} 1" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`;
}

/** Shows the results of a matrix by parameter; nothing for other sweeps. */
const byParameter = ({ parameters = [] }: SweepDocument): Markup[] =>
  parameterTables(parameters, Infinity).map(
    ({ title, columns, rows, right }) => markup`<section>
<h2>${title}</h2>
<div class="card scroll"><table>
<thead><tr>${columns.map((text, at) => markup`<th scope="col" class="${right.includes(at) ? 'number' : ''}">${text}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => markup`<tr>${row.map((text, at) => markup`<td class="${right.includes(at) ? 'number' : ''}">${text}</td>`)}</tr>\n`)}</tbody>
</table></div>
</section>
`,
  );

type Tile = [term: string, value: string | number, look?: string];

function tiles({ document, cells }: SweepReport): Markup[] {
  const { totals } = document;
  const { seconds, tokens, atLeast } = effortOf(cells);
  const budget = document.max_usd === null ? '' : ` of ${formatCost(document.max_usd)}`;
  const ifAny = (term: string, count: number): Tile[] => (count === 0 ? [] : [[term, count]]);
  return [
    tileRow('tiles', [
      ['passed', totals.passed, 'pass'],
      ['failed', totals.failed, totals.failed > 0 ? 'fail' : ''],
      ['errors', totals.errored, totals.errored > 0 ? 'error' : ''],
      ...ifAny('cancelled', totals.cancelled),
      ...ifAny('not finished', unfinishedCells(totals)),
      ...ifAny('cached', totals.cached),
    ]),
    tileRow('tiles wide', [
      ['cost', `${totalCost(document.cells)}${budget}`],
      ['time of all runs', seconds === null ? 'n/a' : formatDuration(seconds * 1000)],
      [
        'tokens in / out',
        `${atLeast ? 'at least ' : ''}${tokenText(tokens.input)} / ${tokenText(tokens.output)}`,
      ],
    ]),
  ];
}

const tileRow = (look: string, known: readonly Tile[]): Markup =>
  markup`<dl class="${look}">${known.map(
    ([term, value, of = '']) => markup`<div><dt>${term}</dt><dd class="${of}">${value}</dd></div>`,
  )}</dl>
`;

function notes({ document, cells }: SweepReport): Markup[] {
  const missing = cells.filter((reported) => reported.missing !== null).length;
  return [
    ...(isOpen(document)
      ? [markup`<p class="note">The sweep has not ended. These are the results so far.</p>`]
      : []),
    ...(document.decision === undefined
      ? []
      : [
          markup`<p class="note"><strong>${decisionText(document.decision)}</strong>; ${progressText(document.decision)}.</p>`,
        ]),
    ...[...(document.decision?.doubts ?? []), ...(document.warnings ?? [])].map(
      (text) => markup`<p class="note">${text}.</p>`,
    ),
    ...judgeNotes(calibrationsIn(document)).map(({ text }) => markup`<p class="note">${text}.</p>`),
    ...(missing === 0
      ? []
      : [
          markup`<p class="note">Runs that were deleted or cannot be read: ${missing}. Only the sweep's own data is shown for them.</p>`,
        ]),
  ];
}
