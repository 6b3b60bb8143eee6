import { expect, test } from 'vitest';
import { criteriaOf, measure, PARTS } from '../../scripts/simulate/all.js';

/** Situations per criterion: the whole table takes minutes (`npm run simulate`). */
const SITUATIONS = 3;
const SIMULATIONS = 25;
/** In standard errors: so many criteria and so few simulations would else fail by chance. */
const TOLERANCE = 4;

test.each(criteriaOf(PARTS).map((criterion) => [`${criterion.what} (${criterion.of})`, criterion] as const))(
  'a few simulations do not contradict the figures of the documentation: %s',
  (_, { cells, ...criterion }) => {
    const every = Math.max(1, Math.floor(cells.length / SITUATIONS));
    const some = cells.filter((_cell, at) => at % every === 0).slice(0, SITUATIONS);
    const { holds, value } = measure(
      { ...criterion, cells: some },
      { seed: '1', simulations: SIMULATIONS, tolerance: TOLERANCE },
    );
    expect(holds, `${criterion.what}: ${value}`).toBe(true);
  },
);
