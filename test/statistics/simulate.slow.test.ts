import { expect, test } from 'vitest';
import { criteriaOf, measure, PARTS } from '../../scripts/simulate/all.js';
import { randomOf } from '../../scripts/simulate/draw.js';

/** Situations per criterion: the whole table takes minutes (`npm run simulate`). */
const SITUATIONS = 3;
const SIMULATIONS = 25;
/** In standard errors: so many criteria and so few simulations would else fail by chance. */
const TOLERANCE = 4;

test.each(
  criteriaOf(PARTS)
    .filter(({ isSlow }) => isSlow !== true)
    .map((criterion) => [`${criterion.what} (${criterion.of})`, criterion] as const),
)('a few simulations do not contradict the figures of the documentation: %s', async (_, { cells, ...criterion }) => {
  const every = Math.max(1, Math.floor(cells.length / SITUATIONS));
  const some = cells.filter((_cell, at) => at % every === 0).slice(0, SITUATIONS);
  const { holds, value } = await measure(
    { ...criterion, cells: some },
    { seed: '1', simulations: SIMULATIONS, tolerance: TOLERANCE },
  );
  expect(holds, `${criterion.what}: ${value}`).toBe(true);
});

test('a schedule reports from results on disk what the simulation says of the same nights', async () => {
  const [cell] = criteriaOf(['scheduled'])
    .flatMap(({ cells }) => cells)
    .filter(({ label }) => label === 'K=5, n=10, 10 % of runs');
  expect(await cell?.once(randomOf('1', 'on disk', 0))).toBe(0);
});
