import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRandom, seedOf } from '../../scripts/fuzz/random.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import type { Stratum } from '../../src/statistics/counts.js';
import { look } from '../../src/statistics/look.js';
import { nextRound } from '../../src/statistics/next-round.js';
import { createProject, type TestProject } from '../commands/project.js';
import { addScripted } from '../commands/scripted-sides.js';

/** Pass rates of 8 scenarios with the variant `bare`, as in scripts/simulate/example.js. */
const BARE = [0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.2];
const MOST = 8;
/** The change of the pass rate of `guided`; a verdict is due unless it is 0. */
const REPETITIONS = [
  { seed: 'first', change: -0.5 },
  { seed: 'second', change: 0 },
];

let project: TestProject;
beforeAll(async () => {
  project = await createProject({});
});
afterAll(() => project.remove());

/** The outcomes of runs that pass at this rate: the same ones for the same seed. */
function outcomesOf(seed: string, rate: number): string {
  const random = createRandom(seedOf(seed, 'outcomes', 0));
  return Array.from({ length: MOST }, () => (random.chance(rate) ? '1' : '0')).join('');
}

/** Decides by the outcomes of runs alone, as `npm run simulate -- example` does. */
function simulate({ cells }: SweepDocument, scenarios: readonly string[]) {
  const passed = new Map(
    cells.map(({ scenario, variant, repetition, outcome }) => [
      `${scenario} ${variant} ${repetition}`,
      outcome === 'pass',
    ]),
  );
  const most = scenarios.length * MOST;
  const rounds: Stratum[][] = [];
  const done = scenarios.map(() => 0);
  for (;;) {
    const found = look(rounds, { alpha: 0.05, margin: null, most });
    if (found.stop) return found;
    const pairs = nextRound(rounds, {
      size: scenarios.length,
      costs: scenarios.map(() => 0),
      remaining: done.map((count) => MOST - count),
    });
    rounds.push(
      scenarios.map((scenario, at) => {
        const numbers = Array.from({ length: pairs[at] ?? 0 }, (_, more) => (done[at] ?? 0) + more + 1);
        const count = (variant: string): number =>
          numbers.filter((number) => passed.get(`${scenario} ${variant} ${number}`) === true).length;
        return {
          base: { passed: count('bare'), tested: numbers.length },
          head: { passed: count('guided'), tested: numbers.length },
        };
      }),
    );
    for (const [at, count] of pairs.entries()) done[at] = (done[at] ?? 0) + count;
  }
}

test.each(REPETITIONS)(
  'real processes decide like the simulation of their outcomes: $seed, $change',
  async ({ seed, change }) => {
    const scenarios = BARE.map((_, at) => `${seed}-${at}`);
    for (const [at, rate] of BARE.entries())
      await addScripted(project, scenarios[at] ?? '', {
        bare: outcomesOf(`${seed} bare ${at}`, rate),
        guided: outcomesOf(`${seed} guided ${at}`, Math.max(0.02, rate + change)),
      });
    const { document } = await project.run([
      ...[...scenarios, '--until-clear', '--base', 'bare'],
      ...['--max-runs', String(MOST), '--concurrency', '8'],
    ]);
    const { decision } = document;
    const simulated = simulate(document, scenarios);
    expect(decision).toMatchObject({
      verdict: simulated.verdict,
      difference: simulated.difference,
      interval: simulated.interval,
      spent_alpha: simulated.spent_alpha,
      rounds: simulated.rounds,
      most_runs: 2 * MOST * BARE.length,
    });
    expect(decision?.runs).toBe(document.cells.length);
    if (change !== 0) {
      expect(decision?.verdict).toBe('worse');
      // A fixed number of runs would have cost more.
      expect(decision?.runs).toBeLessThan(2 * MOST * BARE.length);
    }
  },
);
