import { expect, test } from 'vitest';
import { createRandom } from '../../../scripts/fuzz/random.js';
import { cellsOf } from '../../../scripts/simulate/sequential.js';
import { MAX_TRIES, type CellResult } from '../../../src/decide/decision/paired-cells.js';
import { replayRounds } from '../../../src/decide/decision/replay-rounds.js';
import type { UntilClear } from '../../../src/decide/decision/until-clear.js';
import type { Cell } from '../../../src/model/records/cell.js';

const SWEEPS = 120;
const SEED = Number(process.env['PROPERTY_SEED'] ?? 1);
/** The most ends of a sweep that are tried. */
const MOST_ENDS = 64;
type Random = ReturnType<typeof createRandom>;

/** The results of a sweep; those of `hidden` ended with an error at first, and some never otherwise. */
function draw(random: Random, cells: readonly Cell[]): Map<string, CellResult> {
  const rates = random.pick([
    { base: 0.9, head: 0.2 },
    { base: 0.2, head: 0.95 },
    { base: 0.7, head: 0.1 },
    { base: 0.9, head: 0.9 },
  ]);
  return new Map(
    cells.map(({ id, variant }) => {
      const outcome = random.chance(variant === 'base' ? rates.base : rates.head) ? 'pass' : 'fail';
      const isHidden = random.chance(0.08);
      const isLost = isHidden && random.chance(0.3);
      return [
        id,
        isLost
          ? { outcome: 'error', cost_usd: null, errors: MAX_TRIES }
          : { outcome, cost_usd: null, errors: isHidden ? 1 : 0 },
      ];
    }),
  );
}

test('a verdict of `--until-clear` holds however the runs that ended with errors would have ended, also in between', () => {
  let [made, broken] = [0, 0];
  for (let at = 0; at < SWEEPS; at++) {
    const random = createRandom(100_000 * SEED + at);
    const scenarios = 1 + random.below(4);
    const most = random.pick([6, 9, 12]);
    const cells = cellsOf(scenarios, most);
    const plan: UntilClear = {
      base: { kind: 'variant', variant: 'base' },
      margin: null,
      alpha: 0.05,
      most_runs: most,
      round_size: scenarios,
    };
    const results = draw(random, cells);
    const { verdict, stopped, released } = replayRounds(cells, plan, results, true);
    const hidden = released.filter(({ id }) => (results.get(id)?.errors ?? 0) > 0);
    if (stopped !== 'clear' || hidden.length === 0) continue;
    made += 1;
    for (let end = 0; end < Math.min(MOST_ENDS, 2 ** hidden.length); end++) {
      // All of them if there are few.
      const isPass = (index: number): boolean =>
        2 ** hidden.length <= MOST_ENDS ? Math.floor(end / 2 ** index) % 2 === 1 : random.chance(0.5);
      const ended = new Map(results);
      for (const [index, { id }] of hidden.entries())
        ended.set(id, { outcome: isPass(index) ? 'pass' : 'fail', cost_usd: null, errors: 0 });
      if (replayRounds(cells, plan, ended, true).verdict !== verdict) {
        broken += 1;
        break;
      }
    }
  }
  expect(made).toBeGreaterThan(SWEEPS / 8);
  expect(broken).toBe(0);
});
