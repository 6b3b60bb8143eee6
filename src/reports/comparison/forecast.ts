import type { Forecast, ForecastConfiguration, ForecastPoint } from '#decide';
import { formatCost, formatDuration, levelText, percent, terminalText } from '#lib';
import { alphaLeftText } from './parts.js';
import { colors, printText, type TextOptions } from '../blocks/terminal.js';

/** Renders `plan`: what it takes to show a change, and how small a change other numbers of runs show. */
export function renderForecast(document: Forecast, options: TextOptions): string {
  const { configurations, concurrency, curve, measure } = document;
  const expected = configurations.map((one) => [
    nameOf(one),
    one.reward === undefined ? `${percent(one.pass_rate)} %` : one.reward.mean.toFixed(2),
    formatCost(one.run_usd),
    timeText(one.run_secs),
    colors.dim(sourceOf(one)),
  ]);
  return printText(
    [
      forecastAnswer(document).map(([question, answer]) => `${colors.bold(question)}: ${answer}`),
      [{ columns: curveColumns(concurrency), rows: curve.map(curveRow), right: [0, 1, 2, 3, 4] }],
      [
        {
          columns: ['expected of', measure === 'reward' ? 'reward' : 'pass rate', 'cost of a run', 'duration', ''],
          rows: expected,
          right: [1, 2, 3],
        },
      ],
      forecastHints(document).map(colors.dim),
    ],
    options,
  );
}

/** Returns what a forecast answers, each with the question. */
export function forecastAnswer(document: Forecast): [question: string, answer: string][] {
  const { measure, effect, power, needed, affordable, until_clear: untilClear } = document;
  const { changed, unchanged, most_runs: maxRuns } = untilClear;
  return [
    [
      `to show a change of ${percent(effect)} points${measure === 'reward' ? ' of the mean reward' : ''} in ${cases(power)}`,
      `${eachSide(needed)}, ${takes(needed)}`,
    ],
    ...(affordable === null
      ? []
      : [
          [
            `for ${formatCost(affordable.max_usd)}`,
            `${eachSide(affordable)}, ${takes(affordable)}; shows ${shown(affordable)}`,
          ] satisfies [string, string],
        ]),
    [
      `with run --until-clear${measure === 'reward' ? ' --measure reward' : ''} --effect ${percent(effect)}`,
      `at most ${maxRuns} of each on each side; about ${takes(unchanged)} if nothing changes, ${takes(changed)} if it does; shows it in ${cases(changed.found)}`,
    ],
  ];
}

const cases = (share: number): string => `${percent(share)} of 100 cases`;

const takes = ({ runs, usd, secs }: Pick<ForecastPoint, 'runs' | 'usd' | 'secs'>): string =>
  [
    `${runs} ${runs === 1 ? 'run' : 'runs'}`,
    usd === null ? 'cost unknown' : formatCost(usd),
    ...(secs === null ? [] : [formatDuration(1000 * secs)]),
  ].join(', ');

/** The columns of the curve. */
export const curveColumns = (concurrency: number): string[] => [
  'runs of each on each side',
  'runs',
  'cost',
  `time, ${concurrency} at once`,
  'smallest change shown',
];

export const curveRow = ({ runs_each: each, runs, usd, secs, smallest }: ForecastPoint): string[] => [
  `${each}`,
  `${runs}`,
  formatCost(usd),
  timeText(secs),
  smallest === null ? 'none' : `${percent(smallest)} points`,
];

const eachSide = ({ runs_each: runs }: ForecastPoint): string =>
  `${runs} ${runs === 1 ? 'run' : 'runs'} of each on each side`;

const shown = ({ smallest }: ForecastPoint): string =>
  smallest === null ? 'no change, however large' : `a change of ${percent(smallest)} points`;

const timeText = (secs: number | null): string => (secs === null ? 'n/a' : formatDuration(1000 * secs));

const nameOf = ({ scenario, agent, model, variants }: ForecastConfiguration): string =>
  terminalText(
    [scenario, `${agent}/${model}`, ...(variants.join() === 'default' ? [] : [variants.join(' and ')])].join('  '),
  );

const sourceOf = ({ earlier, pass_rate: rate, reward }: ForecastConfiguration): string => {
  const { passed, tested } = earlier;
  const rewards = reward?.earlier.length ?? 0;
  if (rewards > 0) return `mean of ${rewards} earlier ${rewards === 1 ? 'run' : 'runs'}`;
  if (reward !== undefined) return 'assumed, each reward 0 or 1';
  if (tested === 0 || rate !== passed / tested) return 'assumed';
  return `${passed} of ${tested} earlier ${tested === 1 ? 'run' : 'runs'} passed`;
};

/** Advice that would make the forecast better, or the sweep. */
export function forecastHints({
  configurations,
  measure,
  alpha,
  level,
  needed,
  power,
  until_clear: untilClear,
}: Forecast): string[] {
  const isGuess = configurations.some(({ earlier, pass_rate: rate, reward }) =>
    reward === undefined ? earlier.tested === 0 && rate === 0.5 : reward.earlier.length === 0 && reward.mean === 0.5,
  );
  const hasNoCost = configurations.some(({ run_usd: usd }) => usd === null);
  const { changed, most_runs: maxRuns } = untilClear;
  const { spent_before: before } = untilClear;
  return [
    ...(before === undefined ? [] : [`--until-clear: ${alphaLeftText(untilClear.alpha, before)}`]),
    `for one look, when all of these runs have ended, at ${levelText(level)}${level === alpha ? '' : `; what is left of ${alpha} is for later looks, which take more runs`}`,
    ...(isGuess
      ? [
          measure === 'reward'
            ? 'without earlier rewards, half of them are assumed to be 1 and half 0, which takes the most runs; --pass-rate says otherwise'
            : 'without earlier runs, half of the runs are assumed to pass, which takes the most runs; --pass-rate says otherwise',
        ]
      : []),
    ...(hasNoCost ? ['the cost of a run is unknown; --run-usd says what to expect'] : []),
    ...(measure === 'passes' && changed.found < power - 0.1 && needed.runs_each > maxRuns
      ? [`with --max-runs ${needed.runs_each}, --until-clear shows the change about as often as asked for`]
      : []),
  ];
}
