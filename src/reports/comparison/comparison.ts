import type { Comparison } from '#decide';
import { terminalText } from '#lib';
import { blocks, bullets, inline, list, quotes } from '../blocks/markdown.js';
import { colors, printText, type TextOptions } from '../blocks/terminal.js';
import { subjectGrid } from '../sweep/tables.js';
import { answer } from './answer.js';
import { comparedGrids, comparedJudges } from './calibration.js';
import { explanation, explanationRows } from './explain.js';
import {
  changeGrid,
  type ComparisonView,
  gateGrid,
  gateReasons,
  hints,
  leftOut,
  sweepGrid,
  unchangedText,
  versionGrid,
} from './parts.js';
import { capabilityGrid, configurationGrid, measureGrid, namer, parameterGrid, reliabilityGrid } from './tables.js';

/**
 * Renders `compare`: the verdict and its numbers, each configuration, what the runs took, gates, what else differs
 * between the sweeps, and what to do next.
 */
export function renderComparison(comparison: Comparison, options: ComparisonView & TextOptions): string {
  const name = namer(comparison.configurations);
  const unchanged = unchangedText(comparison);
  const warning = (sentence: string): string => `${colors.yellow('!')} ${sentence}`;
  return printText(
    [
      answer(comparison, name),
      options.explain === true ? explanation(comparison, options) : [],
      [sweepGrid(comparison, options.now)],
      [versionGrid(comparison)],
      [configurationGrid(comparison, name)],
      [parameterGrid(comparison)],
      [capabilityGrid(comparison)],
      [reliabilityGrid(comparison)],
      [measureGrid(comparison.total.measures, comparison.alpha)],
      [subjectGrid(comparison.subject_tokens)],
      [gateGrid(comparison, 'worse', name), gateGrid(comparison, 'better', name)],
      [...(unchanged === null ? [] : [unchanged]), changeGrid(comparison)],
      [{ rows: leftOut(comparison).map((line) => [line]) }],
      gateReasons(comparison).map(warning),
      ...comparedJudges(comparison),
      comparison.doubts.map((doubt) => warning(terminalText(doubt))),
      hints(comparison, options).map(colors.dim),
    ],
    options,
  );
}

/**
 * Renders `compare --format md`, for a pull request or a job summary: the verdict, a table of configurations and
 * reasons for doubt; the other tables can be opened.
 */
export function comparisonMarkdown(comparison: Comparison, options: ComparisonView): string {
  const name = namer(comparison.configurations);
  const [headline = '', ...sentences] = answer(comparison, name);
  const unchanged = unchangedText(comparison);
  const next = hints(comparison, options);
  return blocks([
    `**${inline(headline)}**`,
    bullets(sentences),
    configurationGrid(comparison, name),
    subjectGrid(comparison.subject_tokens),
    bullets(leftOut(comparison)),
    quotes([...gateReasons(comparison), ...comparison.doubts]),
    options.explain === true ? { columns: ['number', '', 'what it means'], rows: explanationRows(comparison) } : null,
    '<details>\n<summary>Sweeps, numbers and changes</summary>',
    { columns: ['', 'sweep', 'started', 'runs'], ...sweepGrid(comparison, options.now) },
    versionGrid(comparison),
    parameterGrid(comparison),
    capabilityGrid(comparison),
    reliabilityGrid(comparison),
    measureGrid(comparison.total.measures, comparison.alpha),
    gateGrid(comparison, 'worse', name),
    gateGrid(comparison, 'better', name),
    unchanged === null ? null : inline(unchanged),
    changeGrid(comparison),
    ...comparedGrids(comparison),
    // Commands are code spans already.
    next.length === 0 ? null : list(next),
    '</details>',
  ]);
}
