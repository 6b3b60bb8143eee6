import pc from 'picocolors';
import { calibrationsIn } from '../results/calibration/document.js';
import type { Ranking } from '../results/ranking/document.js';
import { calibrationGrids } from './calibration-text.js';
import { gridMarkdown } from './grid.js';
import { blocks, inline, list } from './markdown.js';
import {
  agentGrid,
  pairGrids,
  rankingAnswer,
  rankingHints,
  sweepLine,
  type RankingOptions,
} from './ranking-parts.js';

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
