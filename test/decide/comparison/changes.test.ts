import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/lib/json.js';
import { compareSweeps } from '../../../src/decide/comparison/compare-sweeps.js';
import { DEFAULT_OPTIONS, type Change } from '../../../src/decide/comparison/document.js';
import { armsOf } from '../../../src/decide/comparison/arms.js';
import { jsonDifferences, hasSameInputs, type RunInputs } from '../../../src/decide/comparison/changes.js';
import { runInputs, sweepOf } from './sample.js';

const stored = (change: Record<string, Json> = {}, scenario: Record<string, Json> = {}): Json => ({
  scenario: {
    name: 'notes',
    description: 'x',
    steps: { agent: { prompt: 'add' } },
    target: { binary: 'n' },
    ...scenario,
  },
  target: { binary: 'n' },
  target_path: null,
  fixture: 'f1',
  ...change,
});

/** The changes found when base has `stored()` and head has `after`. */
function changesTo(after: Json, files: string[] = [], before = stored()): Change[] {
  const sweep = (name: string, scenario: Json) =>
    sweepOf(name, { notes: 'pp' }, undefined, { scenarios: new Map([['notes', scenario]]) });
  return compareSweeps(sweep('a', before), sweep('b', after), new Map([['notes', files]])).changes;
}

const changesOfRuns = (change: Partial<RunInputs>): Change[] => {
  const head = sweepOf('b', { x: 'pp', y: 'pp' });
  return compareSweeps(
    sweepOf('a', { x: 'pp', y: 'pp' }),
    { ...head, runInputs: new Map(head.lines.map(({ id }) => [id, runInputs(change)])) },
    new Map(),
  ).changes;
};

test('does not know whether inputs are the same if a cell has no cache key on one side', () => {
  const pairOf = (base: string | null, head: string | null) => {
    const side = (sweep: string, cache_key: string | null) => {
      const arms = armsOf(
        sweepOf(sweep, { notes: 'p' }, () => ({ cache_key })),
        () => false,
        DEFAULT_OPTIONS,
      );
      const [arm] = arms.values();
      if (arm === undefined) throw new Error('no configuration');
      return arm;
    };
    return { base: side('a', base), head: side('b', head) };
  };
  expect(hasSameInputs(pairOf('key', 'key'))).toBe(true);
  expect(hasSameInputs(pairOf('key', 'other'))).toBe(false);
  expect(hasSameInputs(pairOf('key', null))).toBeNull();
  expect(hasSameInputs(pairOf(null, 'key'))).toBeNull();
  expect(hasSameInputs(pairOf(null, null))).toBeNull();
});

describe('a change of a scenario', () => {
  test('is named by its path, and doubtful if it changes the task or the checks', () => {
    expect(changesTo(stored())).toEqual([]);
    expect(changesTo(stored({}, { steps: { agent: { prompt: 'remove' } } }))).toEqual([
      { what: 'steps.agent.prompt', base: null, head: null, doubtful: true, of: ['notes'] },
    ]);
    expect(changesTo(stored({}, { description: 'y' }))).toMatchObject([{ what: 'description', doubtful: false }]);
    expect(changesTo(stored({}, { repeat: 2 }), [], stored({}, { repeat: 1 }))).toMatchObject([
      { what: 'repeat', doubtful: false },
    ]);
    const steps = { agent: { prompt: 'add', timeout_secs: 5 } };
    expect(changesTo(stored({}, { steps }))).toMatchObject([{ what: 'steps.agent.timeout_secs', doubtful: true }]);
  });
  test('of the target is not doubtful, since targets are what is compared', () => {
    const target = { binary: 'n', command_pattern: 'x' };
    expect(changesTo(stored({ target_path: '/new/n', target }, { target }))).toEqual([
      { what: 'target.command_pattern', base: null, head: null, doubtful: false, of: ['notes'] },
      { what: 'the path of the target', base: null, head: '/new/n', doubtful: false, of: ['notes'] },
    ]);
  });
  test('of the subject is not doubtful either', () => {
    const skill = (content: string) => ({ kind: 'skill', name: 's', files: [{ path: 'SKILL.md', content }] });
    expect(changesTo(stored({ subject: [skill('b')] }), [], stored({ subject: [skill('a')] }))).toMatchObject([
      { doubtful: false, of: ['notes'] },
    ]);
  });
  test('of its fixture names the files, and is not doubtful if only the target among them has changed', () => {
    expect(changesTo(stored({ fixture: 'f2' }), ['AGENTS.md', 'bin/n'])).toMatchObject([
      { what: 'the fixture: AGENTS.md, bin/n', doubtful: true },
    ]);
    const inFixture = { target: { binary: './bin/n' } };
    expect(changesTo(stored({ fixture: 'f2', ...inFixture }), ['bin/n'], stored(inFixture))).toMatchObject([
      { what: 'the fixture: bin/n', doubtful: false },
    ]);
    const many = Array.from({ length: 300 }, (_, at) => `f${at}`);
    expect(changesTo(stored({ fixture: 'f2' }), many)).toMatchObject([
      { what: 'the fixture: f0, f1, f2, f3, f4 and 295 more' },
    ]);
    expect(changesTo(stored({ fixture: 'f2' }))).toMatchObject([{ what: 'the fixture: its files' }]);
  });
});

describe('a change of how it was run', () => {
  test('is reported once for everything it concerns, with its values', () => {
    expect(changesOfRuns({ target: 'bbbb' })).toEqual([
      { what: 'the program of the target', base: 'aaaa', head: 'bbbb', doubtful: false, of: ['x', 'y'] },
    ]);
    expect(changesOfRuns({ agent_version: '1.1', model_used: 'm2' })).toEqual([
      { what: 'the version of the agent', base: '1.0', head: '1.1', doubtful: true, of: ['mock'] },
      { what: 'the model that answered', base: 'm1', head: 'm2', doubtful: true, of: ['mock/default'] },
    ]);
  });
  test('is not reported if one side is unknown', () => {
    expect(changesOfRuns({ agent_version: null, target: null })).toEqual([]);
  });
  test('of the config of an agent names the setting', () => {
    const sweep = (name: string, args: string[]) =>
      sweepOf(name, { x: 'p' }, undefined, { agents: { mock: { args } } });
    expect(compareSweeps(sweep('a', ['-x']), sweep('b', ['-y']), new Map()).changes).toMatchObject([
      { what: 'the config of the agent: args[0]', of: ['mock'], doubtful: true },
    ]);
  });
});

describe('the keys of all inputs', () => {
  const keyed = (name: string, key: string | null, more = {}) =>
    sweepOf(name, { x: 'pp' }, (_, n) => ({ cache_key: key === null ? null : `${key}-${n}` }), more);
  const compare = (...[base, head]: [ReturnType<typeof keyed>, ReturnType<typeof keyed>]) => {
    const { configurations, changes } = compareSweeps(base, head, new Map());
    return [configurations[0]?.same_inputs, changes.map(({ what }) => what)];
  };
  test('tell whether nothing has changed or an unrecorded input has', () => {
    expect(compare(keyed('a', 'k'), keyed('b', 'k'))).toEqual([true, []]);
    expect(compare(keyed('a', 'k'), keyed('b', null))).toEqual([null, []]);
    expect(compare(keyed('a', 'k'), keyed('b', 'l'))).toEqual([false, [expect.stringMatching(/^an unrecorded input/)]]);
  });
  test('add nothing if a known change explains their difference', () => {
    const other = keyed('b', 'l', { agents: { mock: { args: [] } } });
    expect(compare(keyed('a', 'k'), other)).toEqual([false, ['the config of the agent']]);
  });
});

test('jsonDifferences names the deepest paths, but lists of different lengths as a whole', () => {
  expect(jsonDifferences({ a: [{ b: 1 }, 2], c: null }, { a: [{ b: 2 }, 2], d: 1 })).toEqual(['a[0].b', 'c', 'd']);
  expect(jsonDifferences({ a: [1] }, { a: [1, 2] })).toEqual(['a']);
});
