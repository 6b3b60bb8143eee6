import { expect, test } from 'vitest';
import { createRandom } from '../../../scripts/fuzz/random.js';
import { sideOf, type Arm, type Pair } from '../../../src/decide/comparison/arms.js';
import { decideGate } from '../../../src/decide/comparison/decide-gate.js';
import { exitCodeOf } from '../../../src/decide/exit-code.js';
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
const SWEEPS = 150;
const MARGIN = 0.3;
/** The most ends of a sweep that are tried. */
const MOST_ENDS = 64;

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

/** The findings of `compare` about all configurations together, then about each, and its gate. */
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

type Found = ReturnType<typeof found>;

/** A claim about a sweep with errors, and whether an end agrees. */
type Claim = [what: string, at: number, holds: (end: Found, at: number) => boolean];

const claim = (what: string, number: number, holds: (one: Found['each'][number] | undefined) => boolean): Claim => [
  what,
  number,
  ({ each }, at) => holds(each[at]),
];

/** The claims about the total, which is number 0, and about each configuration. */
function claimsOf({ each, gate }: Found): Claim[] {
  return [
    ...each.flatMap(({ verdict, robust, not_worse: notWorse, equivalent }, number): Claim[] => {
      const of = number === 0 ? 'total' : 'configuration';
      return [
        ...(robust === null
          ? []
          : [claim(`${robust ? 'sure' : 'unsure'} ${of}`, number, (one) => one?.verdict === verdict)]),
        ...(notWorse?.holds === true
          ? [claim(`not worse ${of}`, number, (one) => one?.not_worse?.holds === true)]
          : []),
        ...(equivalent === true ? [claim(`equivalent ${of}`, number, (one) => one?.equivalent === true)] : []),
      ];
    }),
    ...(gate === 'worse' ? [['gate worse', 0, (end: Found) => end.gate === 'worse'] satisfies Claim] : []),
    ...(exitCodeOf(gate) === 0 ? [['gate green', 0, (end: Found) => end.gate !== 'worse'] satisfies Claim] : []),
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
        const { made, broken } = counts.get(what) ?? { made: 0, broken: 0 };
        counts.set(what, { made: made + 1, broken: broken + (atEnds.every((end) => holds(end, index)) ? 0 : 1) });
      }
    }
  }
  for (const what of [
    'sure total',
    'sure configuration',
    'not worse total',
    'not worse configuration',
    'gate worse',
    'gate green',
  ]) {
    const { made = 0, broken } = counts.get(what) ?? {};
    expect(made, what).toBeGreaterThan(20);
    expect(broken, what).toBe(0);
  }
  // The bound is not exact. A few claims are taken back that would hold at every end.
  for (const what of ['unsure total', 'unsure configuration']) {
    const { made = 0, broken = 0 } = counts.get(what) ?? {};
    expect(made - broken, what).toBeLessThan(0.2 * made);
  }
});

test('a gate is not green if head would be worse at some end in between, though not at the worst one', () => {
  const sweeps: Sweeps = [
    { base: { passed: 2, failed: 2, hidden: 2 }, head: { passed: 2, failed: 1, hidden: 0 } },
    { base: { passed: 2, failed: 1, hidden: 0 }, head: { passed: 2, failed: 3, hidden: 2 } },
    { base: { passed: 2, failed: 2, hidden: 3 }, head: { passed: 1, failed: 4, hidden: 3 } },
  ];
  const between = endsOf(sweeps).find((end) => found(end, null).gate === 'worse');
  expect(between?.map(({ base, head }) => [base.passed, head.passed])).toEqual([
    [2, 2],
    [2, 3],
    [5, 1],
  ]);
  expect(found(sweeps, null).gate).toBe('not tested');
});
