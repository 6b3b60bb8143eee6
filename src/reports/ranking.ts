import pc from 'picocolors';
import { calibrationsIn, type Ranking } from '#decide';
import { terminalText } from '#lib';
import { calibrationGrids, judgeBlocks } from './calibration-text.js';
import { gridMarkdown, gridText, type Grid } from './grid.js';
import { blocks, inline, list } from './markdown.js';
import {
  agentGrid,
  pairGrids,
  rankingAnswer,
  rankingHints,
  sweepLine,
  type RankingOptions,
} from './ranking-parts.js';
import { joinBlocks, type TextOptions } from './terminal.js';

/** Renders `compare --agents`: which agent is best, all of them by rank, and which differences are established. */
export function renderRanking(ranking: Ranking, options: RankingOptions & TextOptions): string {
  const colors = pc.createColors(options.color);
  const text = (grid: Grid): string[] => gridText(grid, options, colors);
  return joinBlocks([
    rankingAnswer(ranking, colors),
    [sweepLine(ranking, options.now)],
    text(agentGrid(ranking, colors)),
    pairGrids(ranking, colors).flatMap(text),
    ...judgeBlocks(calibrationsIn(ranking), options, colors),
    ranking.doubts.map((doubt) => `${colors.yellow('!')} ${terminalText(doubt)}`),
    rankingHints(ranking, options).map((hint) => colors.dim(hint)),
  ]);
}

/** Markdown has no colours. */
const PLAIN = pc.createColors(false);

/** Renders `compare --agents --format md`: the best agent, a table of all, and their differences. */
export function rankingMarkdown(ranking: Ranking, options: RankingOptions): string {
  const [headline = '', ...sentences] = rankingAnswer(ranking, PLAIN);
  const hints = rankingHints(ranking, options);
  return blocks([
    `**${inline(headline)}**`,
    sentences.length === 0 ? null : list(sentences.map((line) => inline(line.trim()))),
    inline(sweepLine(ranking, options.now)),
    gridMarkdown(agentGrid(ranking, PLAIN)),
    ...pairGrids(ranking, PLAIN).map(gridMarkdown),
    ...calibrationGrids(calibrationsIn(ranking)).map(gridMarkdown),
    ranking.doubts.length === 0 ? null : ranking.doubts.map((doubt) => `> ${inline(doubt)}`).join('\n>\n'),
    hints.length === 0 ? null : list(hints),
  ]);
}
