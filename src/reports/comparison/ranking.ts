import { type AgentName, type AgentPair, calibrationsIn, type RankedAgent, type Ranking } from '#decide';
import { formatAge, formatCost, formatDuration, pEquals, percent, points, terminalText } from '#lib';
import { blocks, bullets, inline, list, quotes } from '../blocks/markdown.js';
import { colors, type Grid, printText, type TextOptions } from '../blocks/terminal.js';
import { calibrationGrids, judgeBlocks } from './calibration.js';
import { laterLook } from './answer.js';

/** Renders `compare --agents`: which agent is best, all of them by rank, and which differences are established. */
export const renderRanking = (ranking: Ranking, options: RankingOptions & TextOptions): string =>
  printText(
    [
      rankingAnswer(ranking),
      [sweepLine(ranking, options.now)],
      [agentGrid(ranking)],
      pairGrids(ranking),
      ...judgeBlocks(calibrationsIn(ranking)),
      ranking.doubts.map((doubt) => `${colors.yellow('!')} ${terminalText(doubt)}`),
      rankingHints(ranking, options).map(colors.dim),
    ],
    options,
  );

/** Renders `compare --agents --format md`: the best agent, a table of all, and their differences. */
export function rankingMarkdown(ranking: Ranking, options: RankingOptions): string {
  const [headline = '', ...sentences] = rankingAnswer(ranking);
  const hints = rankingHints(ranking, options);
  return blocks([
    `**${inline(headline)}**`,
    bullets(sentences),
    inline(sweepLine(ranking, options.now)),
    agentGrid(ranking),
    ...pairGrids(ranking),
    ...calibrationGrids(calibrationsIn(ranking)),
    quotes(ranking.doubts),
    hints.length === 0 ? null : list(hints),
  ]);
}

/* The parts of a ranking that the terminal and Markdown show alike. */

export interface RankingOptions {
  /** ms since the epoch */
  now: number;
  /** Formats a command of this program for display. */
  command: (words: string) => string;
}

const nameOf = ({ agent, model }: AgentName): string => terminalText(`${agent}/${model}`);
const rateText = (rate: number | null): string => (rate === null ? 'n/a' : `${percent(rate)} %`);

/** Says which agent is best. Several, if no difference between them is shown; then also which is the cheapest. */
function rankingAnswer(ranking: Ranking): string[] {
  const { agents } = ranking;
  const best = agents.filter(({ unbeaten }) => unbeaten === true);
  const ranked = agents.filter(({ rank }) => rank !== null);
  const [first] = best;
  if (first === undefined || ranked.length < 2)
    return [
      colors.yellow('? no ranking'),
      ranked.length === 0
        ? '  no agent was tested in every scenario'
        : `  only ${nameOf(ranked[0] ?? { agent: '', model: '' })} was tested in every scenario`,
    ];
  if (best.length === 1)
    return [
      `${colors.green('✓ best')}: ${nameOf(first)} passes ${rateText(first.rate)}`,
      '  every other ranked agent is shown to pass less often',
      ...withinMargin(ranking),
      ...laterLook(ranking).map((line) => `  ${line}`),
    ];
  const names = best.slice(0, MAX_NAMES).map((one) => `${nameOf(one)} ${rateText(one.rate)}`);
  const more = best.length - names.length;
  const cheapest = cheapestOf(best);
  return [
    `${colors.yellow('? no single best')}: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    '  no difference between these is shown, which does not prove that they are equal',
    ...(cheapest === null
      ? []
      : [`  the cheapest of them: ${nameOf(cheapest)}, ${formatCost(cheapest.cost_per_pass_usd)} per pass`]),
    ...withinMargin(ranking),
    ...laterLook(ranking).map((line) => `  ${line}`),
  ];
}

/** Says which agents are shown to be not much worse than any other, and which of them is the cheapest. */
function withinMargin({ agents, margin }: Ranking): string[] {
  if (margin === null) return [];
  const within = agents.filter((one) => one.within_margin === true);
  const limit = `${percent(margin)} points`;
  if (within.length === 0) return [`  none is shown to be within ${limit} of all others`];
  const names = within.slice(0, MAX_NAMES).map(nameOf);
  const more = within.length - names.length;
  const cheapest = cheapestOf(within);
  return [
    `  shown to be less than ${limit} worse than any other: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    ...(cheapest === null
      ? []
      : [`  the cheapest of these: ${nameOf(cheapest)}, ${formatCost(cheapest.cost_per_pass_usd)} per pass`]),
  ];
}

const MAX_NAMES = 4;

/** Null if a cost is unknown, or all cost the same. */
function cheapestOf(agents: readonly RankedAgent[]): RankedAgent | null {
  const costs = agents.map(({ cost_per_pass_usd: cost }) => cost ?? NaN);
  const least = Math.min(...costs);
  if (Number.isNaN(least) || costs.every((cost) => cost === least)) return null;
  return agents[costs.indexOf(least)] ?? null;
}

/** Says which sweep is ranked, and over how many scenarios. */
function sweepLine({ sweep, status, started, scenarios }: Ranking, now: number): string {
  const many = scenarios.length === 1 ? '1 scenario' : `${scenarios.length} scenarios, each with the same weight`;
  const state = status === 'completed' ? '' : `, ${status}`;
  return `${terminalText(sweep)}, ${formatAge(now - Date.parse(started))}${state}: ${many}`;
}

/** A row per agent, by rank. */
function agentGrid({ agents, calibration, look }: Ranking): Grid {
  const costKnown = agents.some(({ cost_usd: cost }) => cost !== null);
  const legend = [
    ...(costKnown ? ['◆: none passes as often for less, or more often for as much (Pareto front)'] : []),
    ...(costKnown && calibration !== undefined ? ['cost: without the judge'] : []),
    ...(agents.some(({ errored }) => errored > 0) ? ['!: error'] : []),
  ];
  return {
    columns: [
      '',
      'agent',
      'passed',
      'rate',
      `${Number((100 * (1 - look.of_alpha)).toPrecision(6))} %`,
      'cost/run',
      'cost/pass',
      'duration',
      '',
    ],
    rows: agents.map((one) => [
      one.rank === null ? '-' : String(one.rank),
      nameOf(one),
      `${one.errored > 0 ? `${colors.magenta(`!${one.errored}`)} ` : ''}${one.passed}/${one.tested}`,
      rateText(one.rate),
      colors.dim(one.interval === null ? '' : `${percent(one.interval.low)}-${percent(one.interval.high)}`),
      formatCost(one.cost_usd),
      formatCost(one.cost_per_pass_usd),
      one.duration_secs === null ? 'n/a' : formatDuration(one.duration_secs * 1000),
      one.pareto === true ? colors.green('◆') : one.missing.length > 0 ? colors.dim('not ranked') : '',
    ]),
    right: [2, 3, 4, 5, 6, 7],
    notes: [...(legend.length === 0 ? [] : [legend.join('  ')]), ...versionNotes(agents)],
  };
}

/** Says which versions ran; of an agent with several models once. */
const versionNotes = (agents: readonly RankedAgent[]): string[] => [
  ...new Set(
    agents.flatMap(({ agent, versions = [] }) =>
      versions.length === 0 ? [] : [terminalText(`${agent}: ${versions.join(', ')}`)],
    ),
  ),
];

const isShown = ({ verdict, robust }: AgentPair): boolean =>
  robust !== false && (verdict === 'better' || verdict === 'worse');

/** Lists the established differences, and between which agents none is shown. */
export function pairGrids(ranking: Ranking): Grid[] {
  const { pairs: all, alpha, scenarios } = ranking;
  const row = (pair: AgentPair): string[] => {
    const [winner, loser, sign] =
      pair.verdict === 'worse' ? [pair.second, pair.first, -1] : [pair.first, pair.second, 1];
    const { low = 0, high = 0 } = pair.interval ?? {};
    const [from, to] = sign === 1 ? [low, high] : [-high, -low];
    return [
      nameOf(winner),
      isShown(pair) ? 'better than' : 'and',
      nameOf(loser),
      pair.difference === null ? 'no common scenario' : `${points(sign * pair.difference)} points`,
      pair.interval === null ? '' : colors.dim(`${points(from)} to ${points(to)}`),
      pair.adjusted_p === null ? '' : pEquals(pair.adjusted_p, alpha),
      colors.dim(
        [
          ...(pair.scenarios < scenarios.length ? [`${pair.scenarios} of ${scenarios.length} scenarios`] : []),
          ...(pair.verdict === 'too few runs' ? [pair.verdict] : []),
          ...(pair.robust === false ? ['errors could be the reason'] : []),
        ].join(', '),
      ),
    ];
  };
  const tests = all.filter(({ p }) => p !== null).length;
  const grids = [
    pairGrid(colors.green('established differences'), all.filter(isShown).map(row), [3]),
    pairGrid('no difference shown', all.filter((pair) => !isShown(pair)).map(row), [3]),
    marginGrid(ranking),
  ].filter(({ rows }) => rows.length > 0);
  const legend = `p and intervals: corrected for ${tests} tests; together wrong in at most ${percent(alpha)} % of sweeps`;
  return grids.map((grid, at) =>
    tests > 1 && at === grids.length - 1 ? { ...grid, notes: [...(grid.notes ?? []), legend] } : grid,
  );
}

/** Lists what is shown of pairs with a margin, unless it follows from an established difference. */
function marginGrid({ pairs, margin }: Ranking): Grid {
  const limit = `${percent(margin ?? 0)} points`;
  const rows = pairs.flatMap(({ first, second, verdict, not_worse: found }): string[][] => {
    const isShownOf = { first: found?.first.holds === true, second: found?.second.holds === true };
    if (isShownOf.first && isShownOf.second) return [[nameOf(first), `less than ${limit} from`, nameOf(second)]];
    const row = (better: AgentName, other: AgentName, bound: number): string[] => [
      nameOf(better),
      bound < 0 ? `at most ${percent(-bound)} points worse than` : 'not worse than',
      nameOf(other),
    ];
    if (isShownOf.first && verdict !== 'better') return [row(first, second, found?.first.bound ?? 0)];
    if (isShownOf.second && verdict !== 'worse') return [row(second, first, found?.second.bound ?? 0)];
    return [];
  });
  return pairGrid(`shown with a margin of ${limit}`, rows, []);
}

function pairGrid(title: string, rows: readonly string[][], right: number[]): Grid {
  const more = rows.length - MAX_PAIRS;
  return {
    title,
    rows: rows.slice(0, MAX_PAIRS),
    right,
    indent: '  ',
    notes: more > 0 ? [`  … and ${more} more, see --json`] : [],
  };
}

const MAX_PAIRS = 15;

/** Says what to do next. */
function rankingHints({ agents, sweep, pairs: all }: Ranking, { command }: Pick<RankingOptions, 'command'>): string[] {
  if (agents.some(({ missing }) => missing.length > 0))
    return [`To run again what could not be tested: ${command(`retry ${sweep}`)}`];
  return all.some(({ verdict }) => verdict === 'no difference shown' || verdict === 'too few runs')
    ? [`More runs narrow the intervals: ${command('run --repeat <n>')}`]
    : [];
}
