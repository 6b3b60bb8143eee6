import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  planClean,
  type CleanFacts,
  type LineFact,
  type RunFact,
  type SweepFact,
} from '../../src/decide/plan-clean.js';

const BEFORE = 1_000_000;
const OLD = 10_000;
const NEW = 2_000_000;

const sweep = (id: string, change: Partial<SweepFact> = {}): SweepFact => ({
  id,
  state: 'ended',
  startedAt: OLD,
  snapshots: [],
  ...change,
});
const line = (number: number, change: Partial<LineFact> = {}): LineFact => ({
  line: number,
  id: `r${number}`,
  sweep: 's',
  cell: `c${number}`,
  startedAt: OLD,
  folder: change.id ?? `r${number}`,
  cachedFrom: null,
  ...change,
});
const run = (id: string, change: Partial<RunFact> = {}): RunFact => ({
  id,
  sweep: 's',
  startedAt: OLD,
  ...change,
});
const facts = (change: Partial<CleanFacts>): CleanFacts => ({
  sweeps: [sweep('s')],
  lines: [],
  runs: [],
  snapshots: [],
  sweepEnvs: [],
  ...change,
});
const plan = (change: Partial<CleanFacts>) => planClean(facts(change), BEFORE);

describe('planClean', () => {
  test('removes only what belongs to the one sweep that is given', () => {
    const all = facts({
      sweeps: [sweep('s'), sweep('other')],
      lines: [line(1), line(2, { sweep: 'other' })],
      runs: [run('r1'), run('r2', { sweep: 'other' }), run('r3', { sweep: null })],
    });
    expect(planClean(all, BEFORE, 's')).toMatchObject({ lines: [1], runs: ['r1'], sweeps: ['s'] });
  });

  test('removes an old ended sweep with its runs, lines and snapshots', () => {
    expect(
      plan({
        sweeps: [sweep('s', { snapshots: ['a'] })],
        lines: [line(1)],
        runs: [run('r1')],
        snapshots: [
          { hash: 'a', fixture: 'f', broken: false },
          { hash: 'f', fixture: null, broken: false },
        ],
        sweepEnvs: ['s'],
      }),
    ).toEqual({
      lines: [1],
      runs: ['r1'],
      sweeps: ['s'],
      snapshots: ['a', 'f'],
      sweepEnvs: ['s'],
      reused: [],
    });
  });
  test('keeps the sweep that the next one of a schedule is compared with, and snapshots of the schedule', () => {
    const old = {
      sweeps: [sweep('s', { snapshots: ['a'] }), sweep('base', { snapshots: ['b'] })],
      lines: [line(1), line(2, { sweep: 'base' })],
      runs: [run('r1'), run('r2', { sweep: 'base' })],
      snapshots: ['a', 'b', 'c', 'f'].map((hash) => ({
        hash,
        fixture: hash === 'c' ? 'f' : null,
        broken: false,
      })),
    };
    const schedules = [{ broken: false, baseline: 'base', snapshots: ['c'] }];
    expect(plan({ ...old, schedules })).toMatchObject({
      lines: [1],
      runs: ['r1'],
      sweeps: ['s'],
      snapshots: ['a'],
    });
    const broken = [{ broken: true, baseline: null, snapshots: [] }];
    expect(plan({ ...old, schedules: broken })).toMatchObject({ snapshots: [] });
    expect(plan(old)).toMatchObject({ sweeps: ['s', 'base'], snapshots: ['a', 'b', 'c', 'f'] });
  });
  test('keeps recent runs and lines, and the sweep they belong to', () => {
    const lines = [line(1), line(2, { startedAt: NEW })];
    expect(plan({ lines, runs: [run('r1'), run('r2', { startedAt: NEW })] })).toMatchObject({
      lines: [1],
      runs: ['r1'],
      sweeps: [],
    });
  });
  test('keeps a run that a result of another sweep reuses, until that result is removed too', () => {
    const reuse = (startedAt: number) => ({
      sweeps: [sweep('s'), sweep('t', { startedAt })],
      lines: [line(1), line(2, { sweep: 't', startedAt, cachedFrom: 'r1', folder: 'r1' })],
      runs: [run('r1')],
    });
    expect(plan(reuse(NEW))).toMatchObject({ lines: [], runs: [], sweeps: [], reused: ['r1'] });
    expect(plan(reuse(OLD))).toMatchObject({ lines: [1, 2], runs: ['r1'], sweeps: ['s', 't'], reused: [] });
  });
  test('keeps a later result of a cell if an earlier one stays, because the last one counts', () => {
    const lines = [line(1, { cell: 'c' }), line(2, { cell: 'c' }), line(3, { startedAt: NEW, cachedFrom: 'r1' })];
    expect(plan({ lines }).lines).toEqual([]);
  });
  test('keeps the first result of a cell that ran again later, because it counts in comparisons', () => {
    const lines = [line(1, { cell: 'c' }), line(2, { cell: 'c', startedAt: NEW }), line(3, { cell: 'd' })];
    expect(plan({ lines }).lines).toEqual([3]);
  });
  test('keeps all snapshots while a plan or a scenario in use cannot be read', () => {
    const snapshots = [{ hash: 'a', fixture: null, broken: false }];
    expect(plan({ snapshots, sweeps: [sweep('t', { state: 'broken', startedAt: null })] }).snapshots).toEqual([]);
    const inUse = [...snapshots, { hash: 'b', fixture: null, broken: true }];
    const sweeps = [sweep('t', { startedAt: NEW, snapshots: ['b'] })];
    expect(plan({ snapshots: inUse, sweeps }).snapshots).toEqual([]);
    expect(plan({ snapshots, sweeps }).snapshots).toEqual(['a']);
  });
  test('keeps the fixture of a scenario in use', () => {
    const snapshots = [
      { hash: 'a', fixture: 'f', broken: false },
      { hash: 'f', fixture: null, broken: false },
    ];
    expect(plan({ snapshots, sweeps: [sweep('t', { startedAt: NEW, snapshots: ['a'] })] }).snapshots).toEqual([]);
  });
  test('removes a run of an unknown sweep only if no open sweep is older than it', () => {
    const runs = [run('r', { sweep: null })];
    expect(plan({ runs }).runs).toEqual(['r']);
    const open = (startedAt: number | null) => [sweep('o', { state: 'open', startedAt })];
    expect(plan({ runs, sweeps: open(OLD - 5) }).runs).toEqual([]);
    expect(plan({ runs, sweeps: open(null) }).runs).toEqual([]);
    expect(plan({ runs, sweeps: open(OLD + 5000) }).runs).toEqual(['r']);
  });
  test('removes a run of an unknown sweep whose second was over when the open sweep began', () => {
    const runs = [run('before', { sweep: null, startedAt: 19_000 }), run('during', { sweep: null, startedAt: 19_001 })];
    const open = sweep('open', { state: 'open', startedAt: 20_000 });
    expect(plan({ sweeps: [open], runs }).runs).toEqual(['before']);
  });

  test('keeps runs with an unreadable time', () => {
    expect(plan({ runs: [run('r', { startedAt: NaN })], lines: [line(1, { startedAt: NaN })] })).toMatchObject({
      runs: [],
      lines: [],
    });
  });
  test('removes variable values of sweeps that have ended or are gone', () => {
    const sweeps = [sweep('s'), sweep('o', { state: 'open' }), sweep('b', { state: 'broken' })];
    expect(plan({ sweeps, sweepEnvs: ['s', 'o', 'b', 'gone'] }).sweepEnvs).toEqual(['s', 'gone']);
  });
});

describe('for any facts', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const at = fc.constantFrom(OLD, OLD + 5000, NEW, NaN);
  const anyFacts: fc.Arbitrary<CleanFacts> = fc.record({
    sweeps: fc.uniqueArray(
      fc.record({
        id: name,
        state: fc.constantFrom('open' as const, 'ended' as const, 'broken' as const),
        startedAt: fc.option(fc.constantFrom(OLD, NEW)),
        snapshots: fc.subarray(['h1', 'h2', 'h3']),
      }),
      { selector: ({ id }) => id },
    ),
    lines: fc
      .array(
        fc.record({
          id: fc.constantFrom('r1', 'r2', 'r3', 'r4', 'r5'),
          sweep: name,
          cell: fc.constantFrom('x', 'y'),
          startedAt: at,
          folder: fc.option(fc.constantFrom('r1', 'r2', 'r3', 'r4', 'r5')),
          cachedFrom: fc.option(fc.constantFrom('r1', 'r2', 'r3', 'r4', 'r5')),
        }),
        { maxLength: 8 },
      )
      .map((lines) => lines.map((one, index) => ({ ...one, line: index + 1 }))),
    runs: fc.uniqueArray(
      fc.record({ id: fc.constantFrom('r1', 'r2', 'r3', 'r4', 'r5'), sweep: fc.option(name), startedAt: at }),
      { selector: ({ id }) => id },
    ),
    snapshots: fc.uniqueArray(
      fc.record({
        hash: fc.constantFrom('h1', 'h2', 'h3', 'f1', 'f2'),
        fixture: fc.option(fc.constantFrom('f1', 'f2')),
        broken: fc.boolean(),
      }),
      { selector: ({ hash }) => hash },
    ),
    sweepEnvs: fc.subarray(['a', 'b', 'c', 'd']),
  });
  const always = (check: (all: CleanFacts, found: ReturnType<typeof planClean>) => void): void => {
    fc.assert(
      fc.property(anyFacts, (all) => check(all, planClean(all, BEFORE))),
      { numRuns: 500 },
    );
  };

  test('nothing of a sweep that has not ended is removed', () => {
    always((all, found) => {
      const going = new Set(all.sweeps.filter(({ state }) => state !== 'ended').map(({ id }) => id));
      const owner = new Map(all.runs.map(({ id, sweep: of }) => [id, of]));
      expect(all.lines.filter(({ line: at, sweep: of }) => going.has(of) && found.lines.includes(at))).toEqual([]);
      expect(found.runs.filter((id) => going.has(owner.get(id) ?? ''))).toEqual([]);
      expect([...found.sweeps, ...found.sweepEnvs].filter((id) => going.has(id))).toEqual([]);
    });
  });
  test('nothing recent is removed', () => {
    always((all, found) => {
      const young = ({ startedAt }: { startedAt: number | null }): boolean => !((startedAt ?? NaN) < BEFORE);
      expect(all.lines.filter((one) => young(one) && found.lines.includes(one.line))).toEqual([]);
      expect(all.runs.filter((one) => young(one) && found.runs.includes(one.id))).toEqual([]);
      expect(all.sweeps.filter((one) => young(one) && found.sweeps.includes(one.id))).toEqual([]);
    });
  });
  test('no snapshot that a remaining plan names is removed, nor its fixture', () => {
    always((all, found) => {
      const left = all.sweeps.filter(({ id }) => !found.sweeps.includes(id));
      // Only scenarios refer to a fixture; a fixture refers to nothing.
      const named = new Set(left.flatMap(({ snapshots }) => snapshots));
      const fixtures = all.snapshots.flatMap(({ hash, fixture }) => (named.has(hash) ? [fixture] : []));
      expect(found.snapshots.filter((hash) => named.has(hash) || fixtures.includes(hash))).toEqual([]);
    });
  });
  test('no remaining line refers to a removed run', () => {
    always((all, found) => {
      const left = all.lines.filter(({ line: at }) => !found.lines.includes(at));
      const needed = new Set(left.flatMap(({ id, folder, cachedFrom }) => [id, folder, cachedFrom]));
      expect(found.runs.filter((id) => needed.has(id))).toEqual([]);
      const gone = new Set(all.lines.filter(({ line: at }) => found.lines.includes(at)).map(({ id }) => id));
      expect(left.filter(({ cachedFrom }) => cachedFrom !== null && gone.has(cachedFrom))).toEqual([]);
    });
  });
  test('no sweep with a remaining line or run is removed', () => {
    always((all, found) => {
      const busy = [
        ...all.lines.filter(({ line: at }) => !found.lines.includes(at)),
        ...all.runs.filter(({ id }) => !found.runs.includes(id)),
      ].map(({ sweep: of }) => of);
      expect(found.sweeps.filter((id) => busy.includes(id))).toEqual([]);
    });
  });
  test('after a clean there is nothing left to clean', () => {
    always((all, found) => {
      const rest: CleanFacts = {
        sweeps: all.sweeps.filter(({ id }) => !found.sweeps.includes(id)),
        lines: all.lines.filter(({ line: at }) => !found.lines.includes(at)),
        runs: all.runs.filter(({ id }) => !found.runs.includes(id)),
        snapshots: all.snapshots.filter(({ hash }) => !found.snapshots.includes(hash)),
        sweepEnvs: all.sweepEnvs.filter((id) => !found.sweepEnvs.includes(id)),
      };
      expect(planClean(rest, BEFORE)).toMatchObject({
        lines: [],
        runs: [],
        sweeps: [],
        snapshots: [],
        sweepEnvs: [],
      });
    });
  });
});
