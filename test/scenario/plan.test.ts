import { expect, test } from 'vitest';
import { Plan } from '../../src/scenario/plan.js';

test('reads a plan of an older build, without later fields, as that build meant it', () => {
  const plan = {
    schema_version: 1,
    sweep: 's',
    created_at: '2026-01-01T00:00:00.000Z',
    concurrency: 1,
    scenarios: [{ name: 'notes', file: 'notes.yaml', hash: 'h' }],
    agents: {},
    cells: [],
  };
  expect(Plan.parse(plan)).toEqual({
    ...plan,
    scenarios: [{ ...plan.scenarios[0], variant: 'default' }],
    providers: {},
    cache: true,
    caps: { agents: {}, models: {} },
    max_usd: null,
    prices: {},
    project: null,
    hidden: [],
  });
});
