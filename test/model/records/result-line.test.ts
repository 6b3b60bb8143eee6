import { expect, test } from 'vitest';
import { resultWithoutRun } from '../../../src/model/records/result-line.js';

const CELL = {
  id: 'notes/mock/default/default/1',
  scenario: 'notes',
  agent: 'mock',
  model: 'default',
  variant: 'default',
  repetition: 1,
};
const ABOUT = {
  sweep: 's',
  scenario_hash: 'h',
  timestamp: '2026-01-01T00:00:00.000Z',
  outcome: 'error' as const,
  message: 'the fixture is missing',
};

test('a cell that was not run was never started, and cost nothing', () => {
  expect(resultWithoutRun(CELL, ABOUT)).toMatchObject({ attempts: 0, starts: 0, cost_usd: 0 });
});

test('a cell whose agent may have been started has an unknown cost', () => {
  const unknown = { attempts: null, starts: null };
  expect(resultWithoutRun(CELL, { ...ABOUT, ...unknown })).toMatchObject({ ...unknown, cost_usd: null });
});
