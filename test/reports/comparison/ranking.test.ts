import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { rankAgents } from '../../../src/decide/ranking/rank-agents.js';
import { pairGrids, rankingMarkdown } from '../../../src/reports/comparison/ranking.js';
import { wilsonInterval } from '../../../src/statistics/wilson-interval.js';
import { sweepOf } from '../../decide/comparison/sample.js';

/** A sweep of agents, of which so many of 20 runs passed. */
const sweepWith = (passed: Record<string, number>) => {
  const parts = Object.entries(passed).map(([agent, count]) => {
    const { cells, lines } = sweepOf('s', { notes: 'p'.repeat(count) + 'f'.repeat(20 - count) });
    const idOf = (id: string): string => id.replace('/mock/', `/${agent}/`);
    return {
      cells: cells.map((cell) => ({ ...cell, agent, id: idOf(cell.id) })),
      lines: lines.map((line) => ({ ...line, agent, cell: idOf(line.cell), id: `${agent}-${line.id}` })),
    };
  });
  return {
    ...sweepOf('s', {}),
    cells: parts.flatMap(({ cells }) => cells),
    lines: parts.flatMap(({ lines }) => lines),
  };
};

/** The tables of pairs of these agents. */
const gridsOf = (passed: Record<string, number>) =>
  pairGrids(rankAgents(sweepWith(passed), { alpha: 0.05, margin: null })).map((grid) => ({
    ...grid,
    title: stripVTControlCharacters(grid.title ?? ''),
  }));

test('the versions that ran are below the table of agents', () => {
  const sweep = sweepWith({ old: 10, new: 12 });
  const lines = sweep.lines.map((line) => ({ ...line, agent_version: line.agent === 'old' ? '1.0' : '2.0' }));
  const ranking = rankAgents({ ...sweep, lines }, { alpha: 0.05, margin: null });
  const text = rankingMarkdown(ranking, { now: 0, command: (words) => words });
  expect(text).toContain('new: 2.0');
  expect(text).toContain('old: 1.0');
});

describe('the differences between agents', () => {
  test('have no table without rows, and a note below the last one that p is corrected', () => {
    const note = 'p and intervals: corrected for 3 tests; together wrong in at most 4 % of sweeps';
    expect(gridsOf({ best: 20, good: 19, bad: 1 }).map(({ title, notes }) => [title, notes])).toEqual([
      ['established differences', []],
      ['no difference shown', [note]],
    ]);
    expect(gridsOf({ one: 10, two: 10, three: 10 }).map(({ title, notes }) => [title, notes])).toEqual([
      ['no difference shown', [note]],
    ]);
  });

  test('need no correction between two agents', () => {
    expect(gridsOf({ best: 20, bad: 1 }).map(({ title, notes }) => [title, notes])).toEqual([
      ['established differences', []],
    ]);
  });
});

test.each([
  [0.05, '95 %'],
  [0.1, '90 %'],
  [0.001, '99.9 %'],
])('rates have intervals at the confidence that their column names, with alpha %d', (alpha, name) => {
  const ranking = rankAgents(sweepWith({ one: 10, two: 12 }), { alpha, margin: null });
  const text = rankingMarkdown(ranking, { now: 0, command: (words) => words });
  expect(text).toContain(`| rate | ${name} | cost/run |`);
  const { interval } = ranking.agents[0] ?? {};
  expect(interval).toEqual(wilsonInterval({ passed: 12, tested: 20 }, { alpha }));
});
