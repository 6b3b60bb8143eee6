import { futileAfter } from './futility.js';
import { look, type Round } from './look.js';

/** True pass rates of a configuration on both sides. */
export interface Rates {
  base: number;
  head: number;
}

/** The average of sweeps that stop as soon as the verdict is clear. */
export interface Expected {
  /** The mean number of rounds, each with a run of each configuration on each side. */
  rounds: number;
  /** The share of sweeps that end with "better" or "worse". */
  found: number;
}

/** With many configurations, sweeps take longer to simulate and vary less. */
const simulationsOf = (configurations: number): number =>
  Math.ceil(Math.min(200, Math.max(10, 1000 / configurations)));

/** Simulates sweeps with at most `rounds` rounds, which give up when a difference of `effect` is unlikely to be found. */
export function expectedRounds(
  rates: readonly Rates[],
  { rounds: most, effect, alpha }: { rounds: number; effect: number; alpha: number },
  random: () => number,
): Expected {
  const plan = { alpha, margin: null, most: most * rates.length };
  const simulations = simulationsOf(rates.length);
  let [rounds, found] = [0, 0];
  for (let simulation = 0; simulation < simulations; simulation++) {
    const drawn = Array.from({ length: most }, () => drawRound(rates, random));
    const last = look(drawn, plan);
    const stop = Math.min(last.rounds, futileAfter(drawn, { ...plan, effect }) ?? most);
    rounds += stop;
    if (stop === last.rounds && last.verdict !== 'undecided') found += 1;
  }
  return { rounds: rounds / simulations, found: found / simulations };
}

const drawRound = (rates: readonly Rates[], random: () => number): Round => {
  const draw = (rate: number) => ({ passed: random() < rate ? 1 : 0, tested: 1 });
  return rates.map(({ base, head }) => ({ base: draw(base), head: draw(head) }));
};
