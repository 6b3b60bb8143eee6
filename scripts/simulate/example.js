import { randomOf } from './draw.js';
import { untilClear } from './sequential.js';

/** Pass rates of 8 scenarios with the variant `bare`. */
const BARE = [0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.2];
const CAP = 20;
const REPETITIONS = 200;

const CASES = [
  { what: 'guided fails 25 points more', change: -0.25, margin: null },
  { what: 'guided fails 15 points more', change: -0.15, margin: null },
  { what: 'guided passes 25 points more', change: 0.25, margin: null },
  { what: 'guided is the same', change: 0, margin: null },
  { what: 'guided is the same, --margin 20', change: 0, margin: 0.2 },
];

/**
 * Simulates `run --until-clear --base bare` with 8 scenarios and 20 runs at most on each side.
 * @param {string} seed
 * @returns {string[]} lines to print
 */
export function example(seed) {
  const lines = CASES.map(({ what, change, margin }) => {
    const rates = BARE.map((base) => ({ base, head: Math.min(0.98, Math.max(0.02, base + change)) }));
    /** @type {Map<string, number>} */
    const verdicts = new Map();
    let runs = 0;
    for (let index = 0; index < REPETITIONS; index++) {
      const { verdict, information } = untilClear(randomOf(seed, what, index), rates, {
        margin,
        rounds: CAP,
      });
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      runs += (information * 2 * CAP * BARE.length) / REPETITIONS;
    }
    const most = 2 * CAP * BARE.length;
    const decided = [...verdicts].sort((a, b) => b[1] - a[1]).map(([verdict, times]) => `${verdict} ${times}`);
    const saved = Math.round(100 * (1 - runs / most));
    return `${what.padEnd(34)} ${runs.toFixed(0).padStart(3)} of ${most} runs, ${String(saved).padStart(2)} % saved   ${decided.join(', ')}`;
  });
  return [`example: 8 scenarios, 2 variants, --until-clear --max-runs ${CAP}, ${REPETITIONS} times`, ...lines];
}
