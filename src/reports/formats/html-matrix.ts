import { scoreText } from '../../results/score-text.js';
import type { SweepCell } from '../../results/records/sweep-document.js';
import {
  entryCells,
  entryText,
  hasVariants,
  outcomeOf,
  scoreOf,
  summaries,
  toMatrix,
  type Line,
} from '../matrix.js';
import { markup, type Markup } from './markup.js';

/** Returns the anchor of a cell's details, by its number in the sweep from 0. */
export const anchorOf = (at: number): string => `cell-${at + 1}`;

/** Renders the matrix: scenarios down, agents and models across. Each run is a mark that links to its details. */
export function matrixTable(cells: readonly SweepCell[]): Markup {
  const { rows, columns } = toMatrix(cells);
  const variants = hasVariants(cells);
  const numbers = new Map(cells.map((cell, at) => [cell, at]));
  const heading = ({ heading: [agent, model] }: Line) => markup`<th scope="col"><b>${agent}</b>${model}</th>`;
  const line = (row: Line) =>
    markup`<tr><th scope="row">${row.heading[0]}${variants ? markup` <span class="soft">${row.heading[1]}</span>` : null}</th>${columns.map((column) => entry(entryCells(row, column), numbers))}</tr>
`;
  return markup`<div class="card scroll"><table class="matrix">
<thead><tr><td></td>${columns.map(heading)}</tr></thead>
<tbody>
${rows.map(line)}</tbody>
<tfoot>${summaries(columns).map(
    ({ label, values }) =>
      markup`<tr><th scope="row">${label}</th>${values.map((value) => markup`<td>${value}</td>`)}</tr>`,
  )}</tfoot>
</table></div>`;
}

function entry(cells: readonly SweepCell[], numbers: ReadonlyMap<SweepCell, number>): Markup {
  if (cells.length === 0) return markup`<td></td>`;
  const score = scoreOf(cells);
  const marks = cells.map((cell) => {
    const title = `#${cell.repetition}: ${cell.outcome ?? 'waiting'}${cell.cached ? ', cached' : ''}`;
    return markup`<a class="${cell.outcome ?? 'waiting'}" href="#${anchorOf(numbers.get(cell) ?? 0)}" title="${title}" aria-label="${title}"></a>`;
  });
  return markup`<td><span class="entry ${outcomeOf(cells) ?? 'waiting'}">${entryText(cells)}</span>${
    score === null ? null : markup` <span class="soft">${scoreText(score)}</span>`
  }<div class="marks">${marks}</div></td>`;
}
