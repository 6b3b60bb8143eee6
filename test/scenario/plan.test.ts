import { expect, test } from 'vitest';
import { JudgeSettings, Plan } from '../../src/scenario/plan.js';
import { StoredTarget, Target } from '../../src/scenario/target.js';

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

test('a judge that an older build stored, without the number of votes, is asked once', () => {
  const judge = {
    ...{ model: 'house/small', rubric_file: 'rubric.yaml' },
    ...{ pass_threshold: 0.7, always: false, timeout_secs: 60 },
  };
  expect(JudgeSettings.omit({ rubric: true }).parse(judge)).toMatchObject({ votes: 1 });
});

test('reads variables whose names only an older build accepted', () => {
  const env = { 'with.dots': '1' };
  expect(StoredTarget.parse({ binary: 'notes', env })).toEqual({ binary: 'notes', env });
  expect(Plan.shape.agents.parse({ mine: { command: 'mine', env } })).toMatchObject({ mine: { env } });
  expect(Target.safeParse({ binary: 'notes', env }).success).toBe(false);
});
