import { type Comparison, hidden } from '#decide';
import { betweenText, levelText, percent, points, pText, terminalText, wrap } from '#lib';
import { configurationLabel } from '#model';
import { shorterWith } from '#statistics';
import type { TextOptions } from '../blocks/terminal.js';

/** Renders `--explain`: each number behind the verdict, and what it means. */
export function explanation(comparison: Comparison, { width }: TextOptions): string[] {
  const room = Math.max(30, width - INDENT);
  return [
    'what the numbers mean',
    ...explanationRows(comparison).flatMap(([name, value, meaning]) => [
      `  ${name}: ${value}`,
      ...wrap(meaning, room).map((line) => `${' '.repeat(INDENT)}${line}`),
    ]),
  ];
}

/** The numbers behind the verdict: the name of each, its value, and what it means. */
export const explanationRows = (comparison: Comparison): Row[] => [
  ...differenceRows(comparison),
  ...scenarioRows(comparison),
  ...estimateRows(comparison),
  ...marginRows(comparison),
  ...cellRows(comparison),
  ...judgeRows(comparison),
];

const INDENT = 4;

type Row = [name: string, value: string, meaning: string];

function differenceRows({ alpha, look, total, configurations, judge_drift: drift }: Comparison): Row[] {
  const { difference, interval, p, smallest_p, robust, base, head } = total;
  if (difference === null || interval === null || p === null || smallest_p === null) return [];
  const sure = `${Number((100 * (1 - alpha)).toFixed(2))} %`;
  const tested = configurations.filter((one) => one.p !== null).length;
  return [
    [
      'difference',
      `${points(difference)} points`,
      tested > 1
        ? `the pass rate of head minus that of base in each of ${tested} configurations, averaged; each configuration counts alike, however many runs it has`
        : 'the pass rate of head minus that of base',
    ],
    [
      `interval, ${sure}`,
      `${points(interval.low)} to ${points(interval.high)} points`,
      `the true difference lies in such an interval in ${sure} of all comparisons; it excludes 0 only if the verdict is better or worse`,
    ],
    [
      'p',
      pText(p, alpha),
      `if nothing had changed, chance alone would show so large a difference with about this probability; ${levelText(alpha)} or less is called better or worse`,
    ],
    ...(look === undefined
      ? []
      : [
          [
            'look',
            `${look.number}, tested at ${levelText(alpha)}`,
            `each comparison with more of these runs is another look, which could find a difference by chance; so all looks share ${look.of_alpha}, and the first one has most of it; with starts of run --until-clear, ${levelText(look.spent)} may be spent by now`,
          ] satisfies Row,
        ]),
    [
      'smallest possible p',
      pText(smallest_p, alpha),
      `no outcome of so many runs has a smaller p; above ${levelText(alpha)}, none could show a difference`,
    ],
    ...(robust === null || hidden(base) + hidden(head) === 0 || drift?.explains === true
      ? []
      : [
          [
            'holds whatever errors hid',
            robust ? 'yes' : 'no',
            'whether the verdict would be the same if the cells with an error, with a result only after one, or without a result had all gone against it',
          ] satisfies Row,
        ]),
  ];
}

function scenarioRows({ total: { other_scenarios: others } }: Comparison): Row[] {
  if (others === null) return [];
  const { scenarios, interval, variance } = others;
  const shorter = variance === null ? null : shorterWith(variance);
  return [
    [
      'for scenarios like these',
      `between ${points(interval.low)} and ${points(interval.high)} points`,
      `the numbers above are about these ${scenarios} scenarios; this takes them as a sample of all that you might have written, and allows for how much the difference varies between scenarios`,
    ],
    ...(shorter === null
      ? []
      : [
          [
            'where the next run teaches most',
            shorter.runs < shorter.scenarios / 2 ? 'in new scenarios' : 'in these scenarios or in new ones',
            `twice as many scenarios would make that interval about ${percent(shorter.scenarios)} % shorter, twice as many runs of these about ${percent(shorter.runs)} %`,
          ] satisfies Row,
        ]),
  ];
}

/** The document has all of them. */
const MAX_ESTIMATES = 12;

function estimateRows({ configurations }: Comparison): Row[] {
  const found = configurations.flatMap((one) => (one.estimate === null ? [] : [{ ...one, of: one.estimate.head }]));
  if (found.length === 0) return [];
  const listed = found.slice(0, MAX_ESTIMATES).map(({ of: { rate, interval }, ...one }) => {
    const name = found.some((other) => other.scenario === one.scenario && other.agent !== one.agent)
      ? configurationLabel(one)
      : one.scenario;
    return `${terminalText(name)} ${percent(rate)} % (${percent(interval.low)} to ${percent(interval.high)})`;
  });
  const more = found.length > MAX_ESTIMATES ? `, and ${found.length - MAX_ESTIMATES} more` : '';
  return [
    [
      'pass rates of single scenarios',
      `${listed.join(', ')}${more}`,
      'few runs of a scenario tell little, so its rate is drawn towards that of all scenarios, the more the fewer runs it has; such rates are closer to the truth on average',
    ],
  ];
}

function marginRows({ margin, alpha, total: { not_worse, needed } }: Comparison): Row[] {
  return [
    ...(margin === null || not_worse === null
      ? []
      : [
          [
            `not worse by ${percent(margin)} points`,
            not_worse.holds ? 'yes' : 'not shown',
            `with a confidence of ${Number((100 * (1 - alpha)).toFixed(2))} %, the difference is above ${points(not_worse.bound)} points; it must be above ${points(-margin)}`,
          ] satisfies Row,
        ]),
    ...(needed === null
      ? []
      : [
          [
            'runs still needed',
            String(needed.runs),
            `for each configuration and side, so that a true difference of ${percent(needed.difference)} points is shown in ${percent(needed.power)} % of comparisons, at the level ${levelText(needed.alpha)}`,
          ] satisfies Row,
        ]),
  ];
}

function cellRows({ configurations, total: { reliability } }: Comparison): Row[] {
  const tested = configurations.filter(({ p }) => p !== null).length;
  return [
    ...(tested < 2
      ? []
      : [
          [
            'p of a configuration',
            'see the table',
            `adjusted for ${tested} configurations, so that the chance of any false alarm among them is still that of one test`,
          ] satisfies Row,
        ]),
    ...(reliability === null
      ? []
      : [
          [
            `pass@${reliability.k} and pass^${reliability.k}`,
            `${estimate(reliability.head.pass_at_k)} and ${estimate(reliability.head.pass_hat_k)}`,
            `the probability that at least one, and that every one, of ${reliability.k} runs of head passes; before: ${estimate(reliability.base.pass_at_k)} and ${estimate(reliability.base.pass_hat_k)}`,
          ] satisfies Row,
        ]),
  ];
}

function judgeRows({ alpha, judge_drift: drift }: Comparison): Row[] {
  if (drift?.moved == null || drift.interval === null || drift.p === null) return [];
  return [
    [
      'movement of the judge',
      `${points(drift.moved)} points (between ${betweenText(drift.interval.low, drift.interval.high)}), p = ${pText(drift.p, alpha)}`,
      'the same work judged twice: runs of base that pass now less those that fail now, of all that were judged again. A judge that is only noisy changes as many one way as the other; p is the probability of so many more one way if it has not moved',
    ],
  ];
}

type Reliability = NonNullable<Comparison['total']['reliability']>['head'];

const estimate = ({ value, interval: { low, high } }: Reliability['pass_at_k']): string =>
  `${percent(value)} % (between ${betweenText(low, high)})`;
