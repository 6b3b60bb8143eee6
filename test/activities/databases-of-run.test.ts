import { expect, test } from 'vitest';
import { databasesOfRun } from '../../src/activities/run/databases-of-run.js';

const server = (postgres: string, env = 'DATABASE_URL') => ({ postgres, sql: 'SELECT 1', env });
const of = (databases: ReturnType<typeof server>[], values: Record<string, string> = {}, state = '/state/a') =>
  databasesOfRun({ name: 'a', databases }, state, values);

test('gives each database of each run an address of its own, the same in every step', () => {
  const two = [server('postgres://me@h:5433', 'A'), server('postgres://me@h:5433/admin?sslmode=disable', 'B')];
  const { env, databases, missing, invalid } = of(two);
  expect(env['A']).toMatch(/^postgres:\/\/me@h:5433\/llm_tool_test_[0-9a-f]{24}$/);
  expect(env['B']).toMatch(/^postgres:\/\/me@h:5433\/llm_tool_test_[0-9a-f]{24}\?sslmode=disable$/);
  expect([missing, invalid]).toEqual([[], []]);
  expect(of(two).env).toEqual(env);
  const names = [...databases, ...of(two, {}, '/state/b').databases].map(({ name }) => name);
  expect(new Set(names).size).toBe(4);
});

test('fills in variables, and knows the secrets of the resulting address', () => {
  const { env, secrets } = of([server('postgres://me:${PW}@h')], { PW: 'a%2Fb-secret' });
  expect(env['DATABASE_URL']).toMatch(/^postgres:\/\/me:a%2Fb-secret@h\/llm_tool_test_/);
  expect(secrets).toEqual(['a%2Fb-secret', 'a/b-secret']);
  expect(of([server('${URL}')], { URL: 'postgres://h/?password=hidden-word' }).secrets).toEqual(['hidden-word']);
  expect(of([server('postgres://me:plain@h')]).secrets).toEqual([]);
});

test('reports variables without a value, and values that are no address', () => {
  expect(of([server('postgres://${A}:${B}@h')]).missing).toEqual(['A', 'B']);
  expect(of([server('${A}')], { A: 'h:5432' })).toMatchObject({ invalid: ['${A}'], env: {}, databases: [] });
});
