import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Sample, SweepResults } from '../../../src/decide/comparison/arms.js';
import { Ranking, type RankedAgent } from '../../../src/decide/ranking/document.js';
import { rankAgents } from '../../../src/decide/ranking/rank-agents.js';
import { sweepOf, type Outcomes } from '../comparison/sample.js';

const LEVEL = { alpha: 0.05, margin: null };

/** A sweep in which each agent has these outcomes by scenario: p pass, f fail, e error, `.` none yet. */
function sweep(
  agents: Record<string, Outcomes>,
  change: (agent: string, scenario: string, repetition: number) => Partial<Sample> = () => ({}),
): SweepResults {
  const parts = Object.entries(agents).map(([agent, outcomes]) => {
    const part = sweepOf('s', outcomes, (scenario, repetition) => change(agent, scenario, repetition));
    const idOf = (id: string): string => id.replace('/mock/', `/${agent}/`);
    return {
      cells: part.cells.map((cell) => ({ ...cell, agent, id: idOf(cell.id) })),
      lines: part.lines.map((line) => ({ ...line, agent, cell: idOf(line.cell), id: `${agent}-${line.id}` })),
    };
  });
  return {
    ...sweepOf('s', {}),
    cells: parts.flatMap(({ cells }) => cells),
    lines: parts.flatMap(({ lines }) => lines),
  };
}

const costs = (of: Record<string, number | null>) => (agent: string) => ({ cost_usd: of[agent] ?? null });
const ranked = ({ agents }: Ranking): Record<string, Partial<RankedAgent>> =>
  Object.fromEntries(agents.map((one) => [one.agent, one]));
const [ALL, MOST, HALF, NONE] = ['pppppppppp', 'pppppppppf', 'pppppfffff', 'ffffffffff'];

describe('rankAgents', () => {
  test('ranks by the mean over scenarios, not by all runs together', () => {
    // 11 of 12 runs of `one` pass, but it fails the scenario that has few.
    const ranking = rankAgents(sweep({ one: { a: ALL, b: 'pf' }, two: { a: `${ALL}ffff`, b: 'pppppppp' } }), LEVEL);
    expect(ranking.agents.map(({ agent, rank }) => [agent, rank])).toEqual([
      ['two', 1],
      ['one', 2],
    ]);
    expect(ranking.agents[1]).toMatchObject({ passed: 11, tested: 12, rate: 0.75 });
    expect(Ranking.parse(ranking)).toEqual(ranking);
  });

  test('a scenario in which all runs of an agent ended with errors may hide the reason of a difference in the others', () => {
    const outcomes = (errors: string) => ({ one: { a: ALL, b: errors }, two: { a: NONE, b: ALL } });
    const margin = { alpha: 0.05, margin: 0.3 };
    const ranking = rankAgents(sweep(outcomes('e'.repeat(10))), margin);
    expect(ranking.pairs).toMatchObject([{ scenarios: 1, verdict: 'worse', robust: false }]);
    expect(ranked(ranking)['two']?.unbeaten).toBe(true);
    // Where nothing is hidden, it stands.
    expect(rankAgents(sweep({ one: { a: ALL }, two: { a: NONE, b: ALL } }), margin).pairs).toMatchObject([
      { scenarios: 1, verdict: 'worse', robust: true },
    ]);
  });

  test('says which versions of an agent ran, and doubts a rank that is of several', () => {
    const versions: Record<string, string[]> = { old: ['1.0'], new: ['2.0', '2.1'] };
    const ranking = rankAgents(
      sweep({ old: { a: ALL }, new: { a: ALL }, mock: { a: ALL } }, (agent, _, repetition) => {
        const version = versions[agent]?.[repetition % 2] ?? versions[agent]?.[0];
        return version === undefined ? {} : { agent_version: version };
      }),
      LEVEL,
    );
    const { old, new: now, mock } = ranked(ranking);
    expect([old?.versions, now?.versions, mock?.versions]).toEqual([['1.0'], ['2.0', '2.1'], undefined]);
    expect(ranking.doubts.filter((doubt) => doubt.includes('version'))).toEqual([
      'new/default ran in several versions: 2.0, 2.1',
    ]);
    expect(Ranking.parse(ranking)).toEqual(ranking);
  });

  test('says which agents are not worse than others by the margin or more', () => {
    const many = (passed: number): string => 'p'.repeat(passed) + 'f'.repeat(100 - passed);
    const outcomes = { best: { a: many(97) }, near: { a: many(95) }, worst: { a: many(50) } };
    const ranking = rankAgents(sweep(outcomes), { alpha: 0.05, margin: 0.15 });
    expect(ranking.pairs).toMatchObject([
      { first: { agent: 'best' }, second: { agent: 'near' }, verdict: 'no difference shown' },
      { second: { agent: 'worst' }, not_worse: { first: { holds: true }, second: { holds: false } } },
      { second: { agent: 'worst' }, not_worse: { first: { holds: true }, second: { holds: false } } },
    ]);
    const [close] = ranking.pairs;
    expect(close?.not_worse).toMatchObject({ first: { holds: true }, second: { holds: true } });
    // One-sided, at a third of 4 %, the level of a first look, because there are three pairs: the higher rate is at
    // most 5 points worse.
    expect(close?.not_worse?.first.bound).toBeCloseTo(-0.05, 2);
    expect(close?.not_worse?.second.bound).toBeCloseTo(-0.097, 2);
    expect(ranking.agents.map(({ within_margin: within }) => within)).toEqual([true, true, false]);
    expect(Ranking.parse(ranking)).toEqual(ranking);
    const few = rankAgents(sweep({ one: { a: ALL }, two: { a: ALL } }), { alpha: 0.05, margin: 0.15 });
    expect(few.agents.map(({ within_margin: within }) => within)).toEqual([false, false]);
    const without = rankAgents(sweep(outcomes), LEVEL);
    expect(without.pairs.map(({ not_worse }) => not_worse)).toEqual([null, null, null]);
    expect(without.agents.map(({ within_margin: within }) => within)).toEqual([null, null, null]);
  });

  test('runs that were added to those of an earlier sweep make a later look, at a lower level', () => {
    const earlier = { sweep: 'before', timestamp: '2026-01-01T00:00:00.000Z' };
    const outcomes = { one: { a: ALL }, two: { a: NONE } };
    const first = rankAgents(sweep(outcomes), LEVEL);
    const second = rankAgents(
      sweep(outcomes, (_agent, _scenario, repetition) => (repetition <= 5 ? { ran_in: earlier } : {})),
      LEVEL,
    );
    expect(first).toMatchObject({ alpha: 0.04, look: { number: 1, of_alpha: 0.05, spent: 0.04 } });
    expect(second).toMatchObject({ look: { number: 2, of_alpha: 0.05, spent: 0.045 } });
    expect(second.alpha).toBeLessThan(0.02);
    expect(second.pairs[0]?.interval?.low).toBeLessThan(first.pairs[0]?.interval?.low ?? 0);
  });

  test('says which differences are established, and which agents are not beaten', () => {
    const ranking = rankAgents(
      sweep({
        best: { a: ALL, b: ALL },
        near: { a: ALL, b: MOST },
        worst: { a: NONE, b: NONE },
      }),
      LEVEL,
    );
    expect(ranking.pairs.map(({ first, second, verdict }) => [first.agent, verdict, second.agent])).toEqual([
      ['best', 'no difference shown', 'near'],
      ['best', 'better', 'worst'],
      ['near', 'better', 'worst'],
    ]);
    expect(ranking.agents.map(({ unbeaten }) => unbeaten)).toEqual([true, true, false]);
  });

  test('gives no rank to an agent that was not tested in a scenario, and compares it where it was', () => {
    const { agents, pairs, doubts } = rankAgents(
      sweep({ half: { a: ALL, b: 'eee' }, whole: { a: HALF, b: HALF } }),
      LEVEL,
    );
    expect(agents.map(({ agent, rank, missing }) => [agent, rank, missing])).toEqual([
      ['whole', 1, []],
      ['half', null, ['b']],
    ]);
    expect(agents[1]).toMatchObject({ rate: 1, errored: 3, pareto: null, unbeaten: null });
    expect(pairs).toMatchObject([{ scenarios: 1, difference: -0.5 }]);
    expect(doubts).toContainEqual(expect.stringMatching(/^half\/default has no rank: .* in b;/));
    expect(doubts).toContainEqual(expect.stringMatching(/^error rates differ: 3 of 13 runs of half\/default/));
  });

  test('does not count a scenario in which no agent was tested', () => {
    const { agents, scenarios } = rankAgents(sweep({ one: { a: ALL, b: 'ee' }, two: { a: HALF, b: '..' } }), LEVEL);
    expect(scenarios).toEqual(['a']);
    expect(agents.map(({ rank }) => rank)).toEqual([1, 2]);
  });

  test('equal rates share a rank, and the cheaper agent comes first', () => {
    const outcomes = { a: MOST, b: 'ppf' };
    const { agents } = rankAgents(
      sweep({ dear: outcomes, cheap: outcomes, bad: { a: NONE, b: 'fff' } }, costs({ dear: 2, cheap: 1, bad: 0.1 })),
      LEVEL,
    );
    expect(agents.map(({ agent, rank, pareto }) => [agent, rank, pareto])).toEqual([
      ['cheap', 1, true],
      ['dear', 1, false],
      ['bad', 3, false],
    ]);
  });

  test('the cost of a pass includes the runs that failed, and excludes the judge', () => {
    const judge = { cost_usd: 0.5 } as never;
    const { agents } = rankAgents(
      sweep({ half: { a: HALF }, all: { a: ALL } }, (agent) => ({
        cost_usd: agent === 'half' ? 1.5 : 3.5,
        metrics: { judge, details: [] } as never,
      })),
      LEVEL,
    );
    expect(ranked({ agents } as Ranking)).toMatchObject({
      half: { cost_usd: 1, cost_per_pass_usd: 2, pareto: true },
      all: { cost_usd: 3, cost_per_pass_usd: 3, pareto: true },
    });
  });

  test('an unknown cost stays unknown, and a partly known one is a doubt', () => {
    const ranking = rankAgents(
      sweep({ unknown: { a: HALF }, part: { a: ALL } }, (agent, _, repetition) => ({
        cost_usd: agent === 'part' && repetition > 3 ? 1 : null,
      })),
      LEVEL,
    );
    expect(ranked(ranking)).toMatchObject({
      unknown: { cost_usd: null, cost_per_pass_usd: null, pareto: null },
      part: { cost_usd: 1, cost_runs: 7, pareto: true },
    });
    expect(ranking.doubts).toEqual([expect.stringMatching(/^the cost of 3 runs of part\/default is unknown/)]);
  });

  test('the first result of a cell counts, not that of a retry', () => {
    const once = sweep({ one: { a: NONE }, two: { a: ALL } });
    const retries = once.lines
      .filter(({ outcome }) => outcome === 'fail')
      .map((line) => ({ ...line, id: `again-${line.id}`, outcome: 'pass' as const }));
    const ranking = rankAgents({ ...once, lines: [...once.lines, ...retries] }, LEVEL);
    expect(ranked(ranking)['one']).toMatchObject({ passed: 0, tested: 10 });
    expect(ranking.doubts).toEqual([expect.stringMatching(/^10 cells had a result and ran again/)]);
  });

  test('errors that could be the reason beat nobody, though their cells ran again', () => {
    const outcomes = (hidden: string) => ({
      one: { a: `pppp${hidden}` },
      two: { a: 'ffffffffff' },
      three: { a: 'ffffffffff' },
    });
    const verdictOf = (hidden: string, margin: number | null = null) => {
      const ranking = rankAgents(sweep(outcomes(hidden)), { alpha: 0.05, margin });
      expect(Ranking.parse(ranking)).toEqual(ranking);
      const [pair] = ranking.pairs;
      return { ...pair, beaten: ranking.agents.filter(({ unbeaten }) => unbeaten === false).length, ranking };
    };
    expect(verdictOf('pppppp')).toMatchObject({ verdict: 'better', robust: true, beaten: 2 });
    const redone = verdictOf('PPPPPP');
    expect(redone).toMatchObject({ verdict: 'better', robust: false, beaten: 0 });
    expect(redone.ranking.doubts).toEqual([
      expect.stringMatching(/^error rates differ: 6 of 10 runs of one\/default .* before they passed or failed/),
    ]);
    // Whatever they hid, the lower bound for each agent holds.
    const bound = (hidden: string) => verdictOf(hidden, 0.1).not_worse?.first.bound ?? NaN;
    expect(bound('PPPPPP')).toBeCloseTo(bound('ffffff'), 12);
  });

  test('a sweep that has not ended is a doubt', () => {
    const open = { ...sweep({ one: { a: 'pp..' }, two: { a: 'pf..' } }), status: 'open' as const };
    expect(rankAgents(open, LEVEL).doubts).toEqual([
      expect.stringMatching(/^the sweep has not ended: 4 cells without a result yet/),
    ]);
  });

  test('ranks, front and verdicts are consistent, whatever the outcomes and the order of agents', () => {
    const letters = fc.string({ unit: fc.constantFrom('p', 'f', 'e', '.'), maxLength: 6 });
    const outcomes = fc.record({ a: letters, b: letters, c: letters });
    const cost = fc.option(fc.integer({ min: 1, max: 5 }));
    const agents = fc.uniqueArray(fc.record({ name: fc.constantFrom('k', 'l', 'm', 'n'), outcomes, cost }), {
      selector: ({ name }) => name,
      minLength: 2,
    });
    const rank = (list: readonly { name: string; outcomes: Outcomes; cost: number | null }[]): Ranking =>
      rankAgents(
        sweep(
          Object.fromEntries(list.map((one) => [one.name, one.outcomes])),
          costs(Object.fromEntries(list.map((one) => [one.name, one.cost]))),
        ),
        LEVEL,
      );
    fc.assert(
      fc.property(agents, (list) => {
        const ranking = rank(list);
        const withRank = ranking.agents.filter(({ rank }) => rank !== null);
        const rates = withRank.map(({ rate }) => rate ?? NaN);
        expect(rates.every((rate, at) => at === 0 || rate <= (rates[at - 1] ?? 0) + 1e-9)).toBe(true);
        expect(withRank.every(({ missing }) => missing.length === 0)).toBe(true);
        const front = withRank.filter(({ pareto }) => pareto === true);
        for (const one of front)
          for (const other of front)
            expect(
              (one.rate ?? 0) > (other.rate ?? 0) + 1e-9 &&
                (one.cost_per_pass_usd ?? 0) < (other.cost_per_pass_usd ?? 0),
            ).toBe(false);
        const known = withRank.filter(({ rate, cost_per_pass_usd: usd }) => usd !== null && rate !== 0);
        expect(front.length > 0).toBe(known.length > 0);
        for (const { first, second, verdict, robust, difference } of ranking.pairs) {
          if (verdict !== 'better' && verdict !== 'worse') continue;
          if (robust !== true) continue;
          expect(Math.sign(difference ?? 0)).toBe(verdict === 'better' ? 1 : -1);
          const loser = verdict === 'better' ? second : first;
          expect(ranking.agents.find(({ agent }) => agent === loser.agent)?.unbeaten).not.toBe(true);
        }
        const places = (from: Ranking) =>
          Object.fromEntries(from.agents.map(({ agent, rank, pareto, unbeaten }) => [agent, [rank, pareto, unbeaten]]));
        expect(places(rank(list.toReversed()))).toEqual(places(ranking));
      }),
      { numRuns: 30 },
    );
  });
});
