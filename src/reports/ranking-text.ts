import pc from 'picocolors';
import { terminalText } from '../lib/format/table.js';
import { calibrationsIn } from '../results/calibration/document.js';
import type { Ranking } from '../results/ranking/document.js';
import { judgeBlocks } from './calibration-text.js';
import { gridText, type Grid } from './grid.js';
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
