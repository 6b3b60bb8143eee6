import { colors, type Grid } from '../blocks/terminal.js';
import type { ComparedConfiguration, Comparison, Configuration, Effect, Measure, Side } from '#decide';
import { beginningOf, formatCost, formatDuration, percent, points, pText, terminalText } from '#lib';

/** Returns columns that distinguish configurations: the scenario, and the other parts if they differ. */
export type Namer = (configuration: Configuration) => string[];

export function namer(all: readonly Configuration[]): Namer {
  const differ = (of: (one: Configuration) => string): boolean => new Set(all.map(of)).size > 1;
  const agents = differ(({ agent }) => agent);
  const models = differ(({ model }) => model);
  const variants = differ(({ variant }) => variant);
  return ({ scenario, agent, model, variant }) =>
    [scenario, ...(variants ? [variant] : []), ...(models ? [`${agent}/${model}`] : agents ? [agent] : [])].map(
      terminalText,
    );
}

/** A row per configuration: passed and tested runs with their intervals, the difference, its p, and the verdict. */
export function configurationGrid({ configurations, alpha }: Comparison, name: Namer): Grid {
  const [first] = configurations;
  const names = first === undefined ? [] : name(first);
  const sure = confidence(alpha);
  const tests = configurations.filter(({ p }) => p !== null).length;
  const errors = configurations.some(({ base, head }) => base.errored + head.errored > 0);
  const legend = [...(tests > 1 ? [`p: adjusted for ${tests} configurations`] : []), ...(errors ? ['!: error'] : [])];
  return {
    columns: [...names.map(() => ''), 'base', sure, 'head', sure, 'change', 'p', ''],
    rows: configurations.map((one) => [
      ...name(one),
      ...rate(one.base),
      ...rate(one.head),
      one.difference === null ? '' : points(one.difference),
      one.adjusted_p === null ? '' : pText(one.adjusted_p, alpha),
      verdict(one),
    ]),
    right: [0, 1, 2, 3, 4, 5].map((at) => names.length + at),
    notes: legend.length === 0 ? [] : [legend.join('  ')],
  };
}

/**
 * A row per value of each parameter of a matrix: passed and tested runs, the difference, its p, and the verdict. Every
 * run counts once for each parameter.
 */
export function parameterGrid({ parameters = [], alpha }: Comparison): Grid {
  const tests = parameters.filter(({ p }) => p !== null).length;
  return {
    columns: ['by parameter', 'value', 'base', 'head', 'change', 'p', ''],
    rows: parameters.map((one) => [
      terminalText(one.parameter),
      terminalText(beginningOf(JSON.stringify(one.value), LONGEST_VALUE)),
      `${one.base.passed}/${one.base.tested}`,
      `${one.head.passed}/${one.head.tested}`,
      one.difference === null ? '' : points(one.difference),
      one.adjusted_p === null ? '' : pText(one.adjusted_p, alpha),
      verdict(one),
    ]),
    right: [2, 3, 4, 5],
    notes: tests > 1 ? [`p: adjusted for ${tests} values`] : [],
  };
}

const LONGEST_VALUE = 40;

/** The capabilities that were achieved more or less often than before, by parameter. */
export const capabilityGrid = ({ parameters = [] }: Comparison): Grid => ({
  title: 'capabilities achieved more or less often (not tested for significance)',
  rows: parameters.flatMap(({ parameter, value, capabilities }) =>
    capabilities
      .filter(({ base, head }) => base.achieved * head.checked !== head.achieved * base.checked)
      .map(({ capability, base, head }) => [
        terminalText(parameter),
        terminalText(beginningOf(JSON.stringify(value), LONGEST_VALUE)),
        terminalText(capability),
        `${base.achieved}/${base.checked} → ${head.achieved}/${head.checked}`,
      ]),
  ),
  indent: '  ',
});

const rate = ({ passed, tested, errored, interval }: Side): string[] => [
  `${errored > 0 ? `${colors.magenta(`!${errored}`)} ` : ''}${passed}/${tested}`,
  colors.dim(interval === null ? '' : `${percent(interval.low)}-${percent(interval.high)}`),
];

function verdict({
  verdict: word,
  robust = null,
  base,
  head,
}: Pick<ComparedConfiguration, 'verdict' | 'base' | 'head'> & { robust?: boolean | null }): string {
  // Untested cells may be the reason.
  if (robust === false) return colors.yellow(`${word}?`);
  switch (word) {
    case 'better':
      return colors.green(word);
    case 'worse':
      return colors.red(word);
    case 'no difference shown':
      return colors.dim('not shown');
    case 'too few runs':
      return colors.dim(word);
    case 'nothing to compare':
      return colors.dim(base.shared + head.shared > 0 ? 'the same runs' : 'no runs');
  }
}

const LABELS: Record<Measure['name'], [label: string, text: (value: number) => string]> = {
  cost_usd: ['cost', formatCost],
  cost_per_pass_usd: ['cost', formatCost],
  duration_secs: ['duration', (secs) => formatDuration(secs * 1000)],
  tokens: ['tokens', (count) => Math.round(count).toLocaleString('en')],
  tool_calls: ['tool calls', (count) => String(Number(count.toFixed(1)))],
  commands: ['commands', (count) => String(Number(count.toFixed(1)))],
  first_try_success_rate: ['first try', (share) => `${percent(share)} %`],
  judge_score: ['judge', (score) => score.toFixed(2)],
  human_score: ['human', (score) => score.toFixed(2)],
  reward: ['reward', (reward) => String(Number(reward.toPrecision(3)))],
  composite_score: ['score', (score) => score.toFixed(2)],
};

/** The measures of the tested runs, each with its change, the interval of it, and the runs behind it. */
export function measureGrid(measures: readonly Measure[], alpha: number): Grid {
  const rows = measures.map(({ name, of, base, head, effect }) => {
    const [label, text] = LABELS[name];
    const value = (side: Measure['base']): string[] => [
      side.value === null ? 'n/a' : text(side.value),
      colors.dim(`of ${side.runs}`),
    ];
    return [`${label}, ${of}`, ...value(base), ...value(head), ...effectText(effect, alpha)];
  });
  return {
    columns: ['', 'base', '', 'head', '', 'change', confidence(alpha), 'p'],
    rows,
    right: [1, 3, 5, 6, 7],
    notes: ['All tested runs. Among several numbers, one may differ by chance.'],
  };
}

function effectText(effect: Effect | null, alpha: number): string[] {
  if (effect === null) return ['', '', ''];
  const text = (value: number): string =>
    effect.kind === 'ratio'
      ? `${points(value - 1)} %`
      : `${value > 0 ? '+' : ''}${(Math.abs(value) < 0.005 ? 0 : value).toFixed(2)}`;
  const { interval, p } = effect;
  const ends = interval && [interval.low, interval.high].map((end) => text(end).replace(' %', ''));
  return [text(effect.value), ends?.join(' to ') ?? 'too few runs', p === null ? '' : pText(p, alpha)];
}

/** Shows how often the configurations pass if they are tried several times, and how many of them are flaky. */
export function reliabilityGrid({ total, configurations, alpha }: Comparison): Grid {
  const { reliability: tries, base, head } = total;
  const tested = configurations.filter(({ p }) => p !== null).length;
  if (tries === null || tries.k < 2 || tested < 2) return { rows: [] };
  const sides = (of: 'pass_at_k' | 'pass_hat_k'): string[] =>
    [tries.base[of], tries.head[of]].flatMap(({ value, interval }) => [
      `${percent(value)} %`,
      `${percent(interval.low)}-${percent(interval.high)}`,
    ]);
  const flaky = [base, head].flatMap((side) => [`${side.flaky} of ${tested}`, '']);
  return {
    columns: ['', 'base', confidence(alpha), 'head', confidence(alpha)],
    rows: [
      [`at least one of ${tries.k} runs passes (pass@${tries.k})`, ...sides('pass_at_k')],
      [`all of ${tries.k} runs pass (pass^${tries.k})`, ...sides('pass_hat_k')],
      ['flaky: some runs passed, some failed', ...flaky],
    ],
    right: [1, 2, 3, 4],
  };
}

const confidence = (alpha: number): string => `${Number((100 * (1 - alpha)).toFixed(2))} %`;
