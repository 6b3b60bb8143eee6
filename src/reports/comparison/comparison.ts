import pc from 'picocolors';
import type { Comparison } from '#decide';
import { renderTable, terminalText } from '#lib';
import { blocks, inline, list } from '../blocks/markdown.js';
import { type Grid, gridMarkdown, gridText } from '../blocks/table.js';
import { joinBlocks, type TextOptions } from '../blocks/terminal.js';
import { comparedGrids, comparedJudges } from './calibration.js';
import { answer } from './answer.js';
import { explanation, explanationRows } from './explain.js';
import {
  changeGrid,
  type ComparisonOptions,
  gateGrid,
  gateReasons,
  hints,
  leftOut,
  sweepGrid,
  unchangedText,
} from './parts.js';
import {
  capabilityGrid,
  configurationGrid,
  measureGrid,
  namer,
  parameterGrid,
  reliabilityGrid,
} from './tables.js';
import { subjectGrid } from '../sweep/tables.js';

/**
 * Renders `compare`: the verdict and its numbers, each configuration, what the runs took, gates, what else differs
 * between the sweeps, and what to do next.
 */
export function renderComparison(comparison: Comparison, options: ComparisonOptions & TextOptions): string {
  const colors = pc.createColors(options.color);
  const name = namer(comparison.configurations);
  const text = (grid: Grid): string[] => gridText(grid, options, colors);
  const unchanged = unchangedText(comparison);
  const warning = (sentence: string): string => `${colors.yellow('!')} ${sentence}`;
  return joinBlocks([
    answer(comparison, name, colors),
    options.explain === true ? explanation(comparison, options) : [],
    text(sweepGrid(comparison, options.now)),
    text(configurationGrid(comparison, name, colors)),
    text(parameterGrid(comparison, colors)),
    text(capabilityGrid(comparison)),
    text(reliabilityGrid(comparison)),
    text(measureGrid(comparison.total.measures, comparison.alpha, colors)),
    text(subjectGrid(comparison.subject_tokens)),
    [
      ...text(gateGrid(comparison, 'worse', name, colors)),
      ...text(gateGrid(comparison, 'better', name, colors)),
    ],
    [...(unchanged === null ? [] : [unchanged]), ...text(changeGrid(comparison, colors))],
    renderTable(
      leftOut(comparison).map((line) => [line]),
      { width: options.width },
    ),
    gateReasons(comparison).map(warning),
    ...comparedJudges(comparison, options, colors),
    comparison.doubts.map((doubt) => warning(terminalText(doubt))),
    hints(comparison, options).map((hint) => colors.dim(hint)),
  ]);
}

/** Markdown has no colours. */
const PLAIN = pc.createColors(false);

/**
 * Renders `compare --format md`, for a pull request or a job summary: the verdict, a table of configurations and reasons for
 * doubt; the other tables can be opened.
 */
export function comparisonMarkdown(comparison: Comparison, options: ComparisonOptions): string {
  const name = namer(comparison.configurations);
  const [headline = '', ...sentences] = answer(comparison, name, PLAIN);
  const unchanged = unchangedText(comparison);
  const next = hints(comparison, options);
  return blocks([
    `**${inline(headline)}**`,
    bullets(sentences.map((line) => line.trim())),
    gridMarkdown(configurationGrid(comparison, name, PLAIN)),
    gridMarkdown(subjectGrid(comparison.subject_tokens)),
    bullets(leftOut(comparison)),
    quotes([...gateReasons(comparison), ...comparison.doubts]),
    options.explain === true
      ? gridMarkdown({ columns: ['number', '', 'what it means'], rows: explanationRows(comparison) })
      : null,
    '<details>\n<summary>Sweeps, numbers and changes</summary>',
    gridMarkdown({ columns: ['', 'sweep', 'started', 'runs'], ...sweepGrid(comparison, options.now) }),
    gridMarkdown(parameterGrid(comparison, PLAIN)),
    gridMarkdown(capabilityGrid(comparison)),
    gridMarkdown(reliabilityGrid(comparison)),
    gridMarkdown(measureGrid(comparison.total.measures, comparison.alpha, PLAIN)),
    gridMarkdown(gateGrid(comparison, 'worse', name, PLAIN)),
    gridMarkdown(gateGrid(comparison, 'better', name, PLAIN)),
    unchanged === null ? null : inline(unchanged),
    gridMarkdown(changeGrid(comparison, PLAIN)),
    ...comparedGrids(comparison).map(gridMarkdown),
    // Commands are code spans already.
    next.length === 0 ? null : list(next),
    '</details>',
  ]);
}

const bullets = (lines: readonly string[]): string | null =>
  lines.length === 0 ? null : list(lines.map(inline));

const quotes = (lines: readonly string[]): string | null =>
  lines.length === 0 ? null : lines.map((line) => `> ${inline(line)}`).join('\n>\n');
