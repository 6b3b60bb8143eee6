import pc from 'picocolors';
import type { Comparison } from '../results/comparison/document.js';
import { comparedGrids } from './calibration-text.js';
import { answer } from './comparison-answer.js';
import { explanationRows } from './comparison-explain.js';
import {
  changeGrid,
  gateGrid,
  gateReasons,
  hints,
  leftOut,
  sweepGrid,
  unchangedText,
  type ComparisonOptions,
} from './comparison-parts.js';
import {
  capabilityGrid,
  configurationGrid,
  measureGrid,
  namer,
  parameterGrid,
  reliabilityGrid,
} from './comparison-tables.js';
import { gridMarkdown } from './grid.js';
import { blocks, inline, list } from './markdown.js';
import { subjectGrid } from './subject-tokens.js';

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
