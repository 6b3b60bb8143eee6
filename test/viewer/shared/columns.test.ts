import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnNamed, COLUMNS, columnsIn, knownColumns, sortRuns, textIn } from '../../../src/viewer/shared/columns.js';
import { runsAsCsv, runsAsJson } from '../../../src/viewer/shared/export-runs.js';
import { spreadOf } from '../../../src/viewer/shared/figures.js';
import { listedRun } from './listed-run.js';

const namesIn = (names: string): string[] => columnsIn(names).map(({ name }) => name);
const costs = (...usd: (number | null)[]) => usd.map((cost_usd, at) => listedRun({ id: `r${at}`, cost_usd }));
const ids = (runs: readonly { id: string }[]): string => runs.map(({ id }) => id).join(' ');

test('an address names columns, in its own order; without names there are the usual ones', () => {
  expect(namesIn('')).toEqual(['reason', 'gates', 'judge', 'duration', 'cost', 'rating', 'label', 'notes']);
  expect(namesIn('cost,agent,nonsense,cost,toString')).toEqual(['cost', 'agent']);
});

test('names are unique, and can be written in a filter', () => {
  expect(new Set(COLUMNS.map(({ name }) => name)).size).toBe(COLUMNS.length);
  for (const { name } of COLUMNS) expect(name).toMatch(/^[a-z]+$/);
});

test('sorts in both directions, and leaves what is unknown at the end', () => {
  expect(ids(sortRuns(costs(2, null, 10, 1), 'cost'))).toBe('r3 r0 r2 r1');
  expect(ids(sortRuns(costs(2, null, 10, 1), '-cost'))).toBe('r2 r0 r3 r1');
  expect(ids(sortRuns(costs(2, null, 1), 'nonsense'))).toBe('r0 r1 r2');
  const agents = ['zed', 'Codex', 'claude'].map((agent) => listedRun({ id: agent, agent }));
  expect(ids(sortRuns(agents, 'agent'))).toBe('claude Codex zed');
});

test('sorting loses no run, and equal ones keep their order', () => {
  const run = fc.record({ cost_usd: fc.option(fc.constantFrom(0, 1, 2)) });
  const by = fc.constantFrom(...COLUMNS.flatMap(({ name }) => [name, `-${name}`]));
  fc.assert(
    fc.property(fc.array(run), by, (some, name) => {
      const runs = some.map((one, at) => listedRun({ ...one, id: `r${at}` }));
      const sorted = sortRuns(runs, name);
      expect(new Set(sorted)).toEqual(new Set(runs));
      expect(sortRuns(sorted, name)).toEqual(sorted);
    }),
  );
});

test('tells of which columns anything is known', () => {
  expect(knownColumns([])).toEqual([]);
  const known = knownColumns([listedRun({ agent_version: '1.2', outcome: 'pass' })]);
  expect(known).toContain('version');
  expect(known).not.toContain('rating');
});

test('shows an unknown number as nothing, and a cost of which a part is known as such', () => {
  const cost = columnNamed('cost');
  if (cost === undefined) throw new Error('no cost');
  expect(textIn(cost, listedRun({ cost_usd: null, cost_usd_at_least: 0.5 }))).toBe('>$0.50');
  expect(textIn(cost, listedRun({ outcome: null, cost_usd: null }))).toBe('');
});

test('CSV has numbers without units, quotes what needs it, and no text that a spreadsheet would compute', () => {
  const run = listedRun({
    ...{ id: 'a', cost_usd: -0.000012, why: '=HYPERLINK("http://evil.example","x")' },
    agent: '@SUM(1)',
  });
  expect(runsAsCsv([run], columnsIn('agent,cost,reason'))).toBe(
    `id,agent,cost,reason\r\na,'@SUM(1),-0.000012,"'=HYPERLINK(""http://evil.example"",""x"")"\r\n`,
  );
  expect(JSON.parse(runsAsJson([run]))).toEqual([run]);
});

test('a spread has the quartiles of what is known', () => {
  expect(spreadOf([null, null])).toBeNull();
  expect(spreadOf([3])).toEqual({ count: 1, least: 3, quarter: 3, median: 3, threeQuarters: 3, most: 3 });
  expect(spreadOf([4, null, 1, 2, 3])).toMatchObject({ count: 4, least: 1, quarter: 1.75, median: 2.5, most: 4 });
});
