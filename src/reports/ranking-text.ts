import pc from 'picocolors';
import { formatAge } from '../lib/format/age.js';
import { formatCost } from '../lib/format/dollars.js';
import { formatDuration } from '../lib/format/duration.js';
import { renderTable, terminalText } from '../lib/format/table.js';
import { calibrationsIn } from '../results/calibration/document.js';
import type { AgentName, AgentPair, RankedAgent, Ranking } from '../results/ranking/document.js';
import { judgeBlocks } from './calibration-text.js';
import { percent, points, pText } from './comparison-tables.js';
import { joinBlocks, type Colors, type TextOptions } from './terminal.js';

interface RankingOptions extends TextOptions {
  /** ms since the epoch */
  now: number;
  /** Formats a command of this program for display. */
  command: (words: string) => string;
}

/** Renders `compare --agents`: which agent is best, all of them by rank, and which differences are established. */
export function renderRanking(ranking: Ranking, options: RankingOptions): string {
  const colors = pc.createColors(options.color);
  return joinBlocks([
    answer(ranking, colors),
    [sweepLine(ranking, options)],
    agentTable(ranking, options, colors),
    pairs(ranking, options, colors),
    ...judgeBlocks(calibrationsIn(ranking), options, colors),
    ranking.doubts.map((doubt) => `${colors.yellow('!')} ${terminalText(doubt)}`),
    hints(ranking, options).map((hint) => colors.dim(hint)),
  ]);
}

const nameOf = ({ agent, model }: AgentName): string => terminalText(`${agent}/${model}`);
const rateText = (rate: number | null): string => (rate === null ? 'n/a' : `${percent(rate)} %`);

/** Says which agent is best. Several, if no difference between them is shown; then also which is the cheapest. */
function answer({ agents }: Ranking, colors: Colors): string[] {
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
    ];
  const names = best.slice(0, MOST_NAMES).map((one) => `${nameOf(one)} ${rateText(one.rate)}`);
  const more = best.length - names.length;
  const cheapest = cheapestOf(best);
  return [
    `${colors.yellow('? no single best')}: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    '  no difference between these is shown, which does not prove that they are equal',
    ...(cheapest === null
      ? []
      : [`  the cheapest of them: ${nameOf(cheapest)}, ${formatCost(cheapest.cost_per_pass_usd)} per pass`]),
  ];
}

const MOST_NAMES = 4;

/** Null if a cost is unknown, or all cost the same. */
function cheapestOf(agents: readonly RankedAgent[]): RankedAgent | null {
  const costs = agents.map(({ cost_per_pass_usd: cost }) => cost ?? NaN);
  const least = Math.min(...costs);
  if (Number.isNaN(least) || costs.every((cost) => cost === least)) return null;
  return agents[costs.indexOf(least)] ?? null;
}

function sweepLine({ sweep, status, started, scenarios }: Ranking, { now }: RankingOptions): string {
  const many =
    scenarios.length === 1 ? '1 scenario' : `${scenarios.length} scenarios, each with the same weight`;
  const state = status === 'completed' ? '' : `, ${status}`;
  return `${terminalText(sweep)}, ${formatAge(now - Date.parse(started))}${state}: ${many}`;
}

function agentTable({ agents, calibration }: Ranking, { width }: TextOptions, colors: Colors): string[] {
  const costKnown = agents.some(({ cost_usd: cost }) => cost !== null);
  const headings = ['', 'agent', 'passed', 'rate', '95 %', 'cost/run', 'cost/pass', 'duration', ''];
  const rows = agents.map((one) => [
    one.rank === null ? '-' : String(one.rank),
    nameOf(one),
    `${one.errored > 0 ? `${colors.magenta(`!${one.errored}`)} ` : ''}${one.passed}/${one.tested}`,
    rateText(one.rate),
    colors.dim(one.interval === null ? '' : `${percent(one.interval.low)}-${percent(one.interval.high)}`),
    formatCost(one.cost_usd),
    formatCost(one.cost_per_pass_usd),
    one.duration_secs === null ? 'n/a' : formatDuration(one.duration_secs * 1000),
    one.pareto === true ? colors.green('◆') : one.missing.length > 0 ? colors.dim('not ranked') : '',
  ]);
  const legend = [
    ...(costKnown ? ['◆: none passes as often for less, or more often for as much (Pareto front)'] : []),
    ...(costKnown && calibration !== undefined ? ['cost: without the judge'] : []),
    ...(agents.some(({ errored }) => errored > 0) ? ['!: error'] : []),
  ];
  return [
    ...renderTable([headings.map(colors.dim), ...rows], { width, right: [2, 3, 4, 5, 6, 7] }),
    ...(legend.length === 0 ? [] : [colors.dim(legend.join('  '))]),
  ];
}

/** Lists the established differences, and between which agents none is shown. */
function pairs({ pairs: all, alpha, scenarios }: Ranking, { width }: TextOptions, colors: Colors): string[] {
  const isShown = ({ verdict }: AgentPair): boolean => verdict === 'better' || verdict === 'worse';
  const shown = all.filter(isShown);
  const others = all.filter((pair) => !isShown(pair));
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
      pair.adjusted_p === null ? '' : `p = ${pText(pair.adjusted_p, alpha)}`.replace('= <', '< '),
      colors.dim(
        [
          ...(pair.scenarios < scenarios.length
            ? [`${pair.scenarios} of ${scenarios.length} scenarios`]
            : []),
          ...(pair.verdict === 'too few runs' ? [pair.verdict] : []),
        ].join(', '),
      ),
    ];
  };
  const block = (heading: string, list: readonly AgentPair[]): string[] => {
    const rows = list.slice(0, MOST_PAIRS).map(row);
    const more = list.length - rows.length;
    return list.length === 0
      ? []
      : [
          heading,
          ...renderTable(rows, { width, indent: '  ', right: [3] }),
          ...(more > 0 ? [`  … and ${more} more, see --json`] : []),
        ];
  };
  const tests = all.filter(({ p }) => p !== null).length;
  return [
    ...block(colors.green('established differences'), shown),
    ...block('no difference shown', others),
    ...(tests > 1
      ? [
          colors.dim(
            `p and intervals: corrected for ${tests} tests; together wrong in at most ${percent(alpha)} % of sweeps`,
          ),
        ]
      : []),
  ];
}

const MOST_PAIRS = 15;

function hints({ agents, sweep, pairs: all }: Ranking, { command }: RankingOptions): string[] {
  if (agents.some(({ missing }) => missing.length > 0))
    return [`To run again what could not be tested: ${command(`retry ${sweep}`)}`];
  return all.some(({ verdict }) => verdict === 'no difference shown' || verdict === 'too few runs')
    ? [`More runs narrow the intervals: ${command('run --repeat <n>')}`]
    : [];
}
