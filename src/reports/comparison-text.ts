import pc from 'picocolors';
import { renderTable, terminalText } from '../lib/format/table.js';
import type { Comparison } from '../results/comparison/document.js';
import { comparedJudges } from './calibration-text.js';
import { answer } from './comparison-answer.js';
import { explanation } from './comparison-explain.js';
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
import { gridText, type Grid } from './grid.js';
import { subjectGrid } from './subject-tokens.js';
import { joinBlocks, type TextOptions } from './terminal.js';

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
