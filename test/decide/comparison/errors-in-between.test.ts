import { expect, test } from 'vitest';
import { createRandom } from '../../../scripts/fuzz/random.js';
import { sideOf, type Arm, type Pair } from '../../../src/decide/comparison/arms.js';
import { decideGate } from '../../../src/decide/comparison/decide-gate.js';
import type { Gate } from '../../../src/decide/comparison/document.js';
import { boundedFindings, boundedMargins, isRobust } from '../../../src/decide/comparison/findings.js';

/** Runs of a configuration on one side. */
interface Runs {
  passed: number;
  failed: number;
  hidden: number;
}
type Sweeps = Record<keyof Pair, Runs>[];
type Random = ReturnType<typeof createRandom>;

const SEED = Number(process.env['PROPERTY_SEED'] ?? 1);
const SWEEPS = Number(process.env['N'] ?? 300);
const MARGIN = 0.3;
const NAMES = ['base', 'head'] as const;
/** The most ends of a sweep that are tried. */
const MOST_ENDS = 256;

const armOf = (at: number, { passed, failed, hidden }: Runs): Arm => ({
  configuration: { scenario: `s${at}`, agent: 'a', model: 'm', variant: 'default' },
  samples: [],
  runs: [],
  inputs: new Map(),
  others: [],
  side: sideOf(
    { passed, tested: passed + failed },
    {
      flaky: 0,
      reused: 0,
      shared: 0,
      retried: 0,
      after_errors: 0,
      passed_after_errors: 0,
      errored: hidden,
      cancelled: 0,
      waiting: 0,
    },
    { alpha: 0.05 },
  ),
});

/** What `compare` says of all configurations together, and of each, and its gate. */
function found(sweeps: Sweeps, margin: number | null) {
  const pairs = sweeps.map(({ base, head }, at): Pair => ({ base: armOf(at, base), head: armOf(at, head) }));
  const options = { alpha: 0.05, margin };
  const { actual, bestForHead: best, worstForHead: worst } = boundedFindings(pairs, options);
  const each = [actual.total, ...actual.configurations].map((one, at) => {
    const [ofBest, ofWorst] = [best, worst].map((end) => [end.total, ...end.configurations][at]);
    const { verdict } = one;
    return { verdict, robust: isRobust(verdict, ofBest, ofWorst), ...boundedMargins(one, ofBest, ofWorst) };
  });
  return { each, gate: decideGate({ actual, bestForHead: best, worstForHead: worst }, pairs, [], options).result };
}

/** The sweeps in which the hidden cells have ended in all possible ways. */
function endsOf(sweeps: Sweeps): Sweeps[] {
  const waysOf = ({ passed, failed, hidden }: Runs): Runs[] =>
    Array.from({ length: hidden + 1 }, (_, more) => ({
      passed: passed + more,
      failed: failed + hidden - more,
      hidden: 0,
    }));
  return sweeps.reduce<Sweeps[]>(
    (all, { base, head }) =>
      all.flatMap((before) =>
        waysOf(base).flatMap((one) => waysOf(head).map((other) => [...before, { base: one, head: other }])),
      ),
    [[]],
  );
}

const RATES = [
  { base: 0.1, head: 0.9 },
  { base: 0.2, head: 0.7 },
  { base: 0.6, head: 0.02 },
  { base: 0.98, head: 0.5 },
  { base: 0.9, head: 0.9 },
];

/** Sweeps that mostly differ enough for a verdict, with few errors. */
function draw(random: Random): Sweeps {
  const rates = random.pick(RATES);
  const most = random.pick([4, 9, 16]);
  const runsOf = (rate: number): Runs => {
    const runs = 2 + random.below(most);
    const passed = Array.from({ length: runs }, () => random.chance(rate)).filter(Boolean).length;
    return { passed, failed: runs - passed, hidden: random.chance(0.4) ? 1 + random.below(3) : 0 };
  };
  return Array.from({ length: 1 + random.below(4) }, () => ({ base: runsOf(rates.base), head: runsOf(rates.head) }));
}

/** A claim about a sweep with errors, and how it would have to be at each end. */
type Claim = [what: string, at: number, holds: (end: ReturnType<typeof found>) => boolean];

function claimsOf({ each, gate }: ReturnType<typeof found>): Claim[] {
  const isGreen = (result: Gate['result']): boolean => result === 'not worse' || result === 'not shown';
  return [
    ...each.flatMap(({ verdict, robust, not_worse: notWorse, equivalent }, at): Claim[] => {
      const of = at === 0 ? 'total' : 'configuration';
      return [
        ...(robust === null
          ? []
          : [[`${robust ? 'sure' : 'unsure'} ${of}`, at, (end) => end.each[at]?.verdict === verdict] satisfies Claim]),
        ...(notWorse?.holds === true
          ? [[`not worse ${of}`, at, (end) => end.each[at]?.not_worse?.holds === true] satisfies Claim]
          : []),
        ...(equivalent === true
          ? [[`equivalent ${of}`, at, (end) => end.each[at]?.equivalent === true] satisfies Claim]
          : []),
      ];
    }),
    ...(gate === 'worse' ? [['gate worse', 0, (end) => end.gate === 'worse'] satisfies Claim] : []),
    ...(isGreen(gate) ? [['gate not worse', 0, (end) => end.gate !== 'worse'] satisfies Claim] : []),
  ];
}

test('claims about sweeps with errors hold however these would have ended, also in between', () => {
  const counts = new Map<string, { made: number; broken: number }>();
  for (let at = 0; at < SWEEPS; at++) {
    const sweeps = draw(createRandom(100_000 * SEED + at));
    const ends = endsOf(sweeps);
    if (ends.length === 1 || ends.length > MOST_ENDS) continue;
    for (const margin of [null, MARGIN]) {
      const claims = claimsOf(found(sweeps, margin));
      const atEnds = claims.length === 0 ? [] : ends.map((end) => found(end, margin));
      for (const [what, index, holds] of claims) {
        const count = counts.get(what) ?? { made: 0, broken: 0 };
        const isBroken = !atEnds.every(holds);
        if (isBroken && !what.startsWith('unsure') && count.broken < 3)
          console.log(what, margin, index, JSON.stringify(sweeps.map((o) => NAMES.map((n) => Object.values(o[n]).join(' ')).join(' | '))));
        counts.set(what, { made: count.made + 1, broken: count.broken + (isBroken ? 1 : 0) });
      }
    }
  }
  console.log(Object.fromEntries(counts));
  expect(counts.size).toBeGreaterThan(0);
});
