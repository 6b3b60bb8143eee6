import { readFileSync } from 'node:fs';

/** Mistakes in the statistics that `npm test` must notice, each as an expression and what would replace it. */
const MISTAKES = [
  [
    'until-clear: both sides of the test get all of alpha',
    'src/statistics/sequential-test.ts',
    'spend(pairs / most, alpha - contrast) / 2',
    'spend(pairs / most, alpha - contrast)',
  ],
  [
    'until-clear: rises spend their alpha again at each look',
    'src/statistics/sequential-test.ts',
    'allowed - after.cut.better',
    'allowed',
  ],
  [
    'until-clear: several configurations are tested given the passes of each round apart',
    'src/statistics/sequential-test.ts',
    'apart * ratio',
    'apart',
  ],
  [
    'until-clear: outcomes that the rounds rule out are forgotten',
    'src/statistics/sequential-test.ts',
    'allowed - after.cut.worse - outside.below',
    'allowed - after.cut.worse',
  ],
  [
    'until-clear, one configuration: each look spends alpha again',
    'src/statistics/one-configuration.ts',
    'more + (spent[rate] ?? 0) > (allowed[rate] ?? 0)',
    'more > (allowed[rate] ?? 0)',
  ],
  [
    'until-clear: "not worse" needs half of the distance',
    'src/statistics/look.ts',
    'scoreStatistic(strata, -margin) > z',
    'scoreStatistic(strata, -margin) > z / 2',
  ],
  ['the exact test of few runs is left out', 'src/statistics/test-difference.ts', 'Math.max(p, exactP(strata))', 'p'],
  ['p of configurations is not adjusted', 'src/statistics/test-each.ts', 'Math.max(p, family.p)', 'p'],
  [
    'pairs of agents are each tested at the full level',
    'src/statistics/test-family.ts',
    'alpha / (decidable.length - step)',
    'alpha',
  ],
  [
    'the variance of rates is that of as many runs as there are',
    'src/statistics/miettinen-nurminen.ts',
    'variance * (all / (all - 1))',
    'variance',
  ],
  [
    '"not worse" is tested at twice the level',
    'src/statistics/miettinen-nurminen.ts',
    'normalQuantileOfTail(alpha)',
    'normalQuantileOfTail(2 * alpha)',
  ],
  ['p of costs is of one side', 'src/statistics/mean-change.ts', '2 * Math.min(low, high)', 'Math.min(low, high)'],
  [
    'exchanged values count as if both sides had as many runs',
    'src/statistics/exchanges.ts',
    '(sums.many - ofMany) / others.length',
    '(sums.many - ofMany) / fewer.length',
  ],
  ['each look at a question has all of alpha', 'src/statistics/ledger.ts', 'rounded(2 * normalTail(z))', 'alpha'],
  [
    'earlier looks at a question are forgotten',
    'src/decide/comparison/looks.ts',
    'isNew ? [...account.looks, information] : account.looks',
    'isNew ? [information] : account.looks',
  ],
  [
    'runs that were repeated without the cache are no looks',
    'src/decide/comparison/looks.ts',
    'runsOf(pairs, ({ others }) => others)',
    '[]',
  ],
  [
    'a start of until-clear takes nothing from those after it',
    'src/statistics/ledger.ts',
    'spentOf(account) + alpha',
    'spentOf(account)',
  ],
  [
    'what starts and looks may spend is not limited to 1.1 alpha',
    'src/statistics/ledger.ts',
    'alpha - spent / POOL',
    'alpha - spent / (2 * POOL)',
  ],
  [
    'what a sweep decides against an earlier one stands, whatever its judge',
    'src/decide/comparison/with-judge-drift.ts',
    "judge_drift.explains ? 'not tested' : isStillEqual ? verdict : 'not worse'",
    "isStillEqual ? verdict : 'not worse'",
  ],
  ['pass^k is of as many runs as there are', 'src/statistics/pass-at-k.ts', 'tested <= k', 'tested < k'],
  [
    'a loss within the margin fails the gate',
    'src/decide/comparison/decide-gate.ts',
    'not_worse?.holds !== true',
    'not_worse?.holds === true',
  ],
  [
    'what is not shown is called not worse',
    'src/decide/comparison/decide-gate.ts',
    "total.verdict === 'better' ? 'not worse' : 'not shown'",
    "'not worse'",
  ],
  [
    'a green gate looks at the worst end of hidden cells only',
    'src/decide/comparison/findings.ts',
    "p <= alpha ? { ...one, verdict: 'worse' } : one",
    'one',
  ],
];

/** Returns them as mutants. @throws if an expression is not found once */
export const mutantsOfStatistics = () =>
  MISTAKES.map(([kind = '', path = '', expression = '', text = ''], at) => {
    const source = readFileSync(path, 'utf8');
    const start = source.indexOf(expression);
    if (start === -1 || source.includes(expression, start + 1))
      throw new Error(`${path}: '${expression}' is not there once; change scripts/mutants/of-statistics.js`);
    const end = start + expression.length;
    const line = source.slice(0, start).split('\n').length;
    const around = { start, end, isStatement: false };
    return { number: at + 1, path, source, mutant: { start, end, text, kind, line, around } };
  });
