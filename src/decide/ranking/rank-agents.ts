import { highestSureP, isStratumTested, meanRate, notWorse, type Stratum, testFamily } from '#statistics';
import { groupBy, mean } from '#lib';
import { scenarioLabel } from '#model';
import type { ComparisonOptions } from '../comparison/document.js';
import { endsOf, isRobust, stratumOf } from '../comparison/findings.js';
import { looksAt, type Looks } from '../comparison/looks.js';
import { type Pair, type SweepResults, armsOf, versionsIn, type Arm, type Sample } from '../comparison/arms.js';
import type { AgentName, AgentPair, RankedAgent, Ranking } from './document.js';
import { rankingDoubts } from './ranking-doubts.js';

interface Point {
  rate: number;
  cost: number;
}

/**
 * Returns for each point whether it is on the Pareto front: no other is at least as good in both, and better in one.
 */
const paretoFront = (points: readonly Point[]): boolean[] =>
  points.map((one) => !points.some((other) => dominates(other, one)));

const dominates = (one: Point, other: Point): boolean =>
  one.rate >= other.rate && one.cost <= other.cost && (one.rate > other.rate || one.cost < other.cost);

/** The runs of an agent with a model, by scenario and variant. */
interface AgentRuns extends AgentName {
  /** By label of scenario and variant. */
  arms: ReadonlyMap<string, Arm>;
}

/** Groups a sweep by agent and model, in the order of its cells. */
const runsByAgent = (sweep: SweepResults, options: { alpha: number }): AgentRuns[] =>
  groupBy([...armsOf(sweep, () => false, options).values()], ({ configuration: { agent, model } }) =>
    JSON.stringify([agent, model]),
  ).flatMap((arms) =>
    arms.slice(0, 1).map(({ configuration: { agent, model } }) => ({
      agent,
      model,
      arms: new Map(arms.map((arm) => [scenarioLabel(arm.configuration), arm])),
    })),
  );

/** Returns the cost of a run without its judge, which is no part of what the agent costs; null: unknown. */
function agentCost({ cost_usd: cost, metrics }: Sample): number | null {
  const judge = metrics?.judge?.cost_usd ?? 0;
  return cost === null ? null : Math.max(0, cost - judge);
}

/** Returns the mean over scenarios of the mean of the known values; null if a scenario with runs has none. */
function meanOverScenarios(arms: readonly Arm[], valueOf: (sample: Sample) => number | null): number | null {
  const means = arms.map(({ samples }) => mean(samples.map(valueOf)));
  return means.some((value) => value === null) ? null : mean(means);
}

/**
 * Ranks the agents and models of a sweep by their pass rate, and tests which of them differ. A rate is the mean over
 * scenarios; an agent that was not tested in one of them has no rank, because the others would be averaged over harder
 * or easier tasks.
 */
export function rankAgents(sweep: SweepResults, options: ComparisonOptions): Ranking {
  const { alpha, margin } = options;
  const runs = runsByAgent(sweep, { alpha });
  const scenarios = [
    ...new Set(runs.flatMap(({ arms }) => [...arms].flatMap(([name, { side }]) => (side.tested > 0 ? [name] : [])))),
  ];
  const measured = runs.map((one) => ({ runs: one, agent: measure(one, scenarios, alpha) }));
  const complete = measured.filter(({ agent }) => agent.missing.length === 0 && agent.rate !== null);
  const ordered = [
    ...complete.sort((a, b) => order(a.agent, b.agent)),
    ...measured.filter((one) => !complete.includes(one)),
  ];
  const contests = contestsOf(ordered.map((one) => one.runs));
  const look = lookAt(contests, alpha);
  const pairs = pairsOf(contests, { margin, alpha: look.level });
  const ranked = complete.map(({ agent }) => agent);
  const agents = ordered.map(({ agent }) =>
    ranked.includes(agent)
      ? {
          ...agent,
          rank: 1 + ranked.filter(({ rate }) => isMore(rate, agent.rate)).length,
          pareto: onFront(agent, ranked),
          unbeaten: !pairs.some((pair) => isLoser(agent, pair)),
          within_margin: margin === null ? null : isWithinMargin(agent, ranked, pairs),
        }
      : agent,
  );
  const { sweep: id, started, status } = sweep;
  return {
    schema_version: 1,
    sweep: id,
    started,
    status,
    alpha: look.level,
    margin,
    scenarios,
    agents,
    pairs,
    look: { number: look.number, of_alpha: alpha, spent: look.spent },
    doubts: rankingDoubts(sweep, agents),
  };
}

function measure({ agent, model, arms }: AgentRuns, scenarios: readonly string[], alpha: number): RankedAgent {
  const all = [...arms.values()];
  const tested = all.filter(({ side }) => side.tested > 0);
  const sum = (of: (side: (typeof all)[number]['side']) => number): number =>
    all.reduce((total, { side }) => total + of(side), 0);
  const { rate = null, interval = null } =
    meanRate(
      tested.map(({ side }) => side),
      { alpha },
    ) ?? {};
  const cost = meanOverScenarios(tested, agentCost);
  return {
    rank: null,
    agent,
    model,
    ...versionsIn(all.flatMap(({ samples }) => samples)),
    passed: sum(({ passed }) => passed),
    tested: sum((side) => side.tested),
    rate,
    interval,
    after_errors: sum((side) => side.after_errors),
    missing: scenarios.filter((name) => (arms.get(name)?.side.tested ?? 0) === 0),
    errored: sum(({ errored }) => errored),
    cancelled: sum(({ cancelled }) => cancelled),
    waiting: sum(({ waiting }) => waiting),
    cost_usd: cost,
    cost_runs: all.flatMap(({ samples }) => samples).filter((sample) => agentCost(sample) !== null).length,
    cost_per_pass_usd: cost === null || rate === null || rate === 0 ? null : cost / rate,
    duration_secs: meanOverScenarios(tested, ({ duration_secs: secs }) => secs),
    pareto: null,
    unbeaten: null,
    within_margin: null,
  };
}

/** The mean of thirds in another order differs in its last digit. */
const SAME = 1e-9;
const isMore = (one: number | null, other: number | null): boolean => (one ?? 0) > (other ?? 0) + SAME;

/** The higher rate comes first, then the lower cost per pass. */
function order(a: RankedAgent, b: RankedAgent): number {
  if (isMore(a.rate, b.rate)) return -1;
  if (isMore(b.rate, a.rate)) return 1;
  return (a.cost_per_pass_usd ?? Infinity) - (b.cost_per_pass_usd ?? Infinity) || 0;
}

/** An agent of which nothing passed is not on the front, whatever it cost. */
function onFront(agent: RankedAgent, ranked: readonly RankedAgent[]): boolean | null {
  if (agent.rate === 0) return false;
  if (agent.cost_per_pass_usd === null) return null;
  const known = ranked.filter(({ cost_per_pass_usd: cost }) => cost !== null);
  const front = paretoFront(known.map(({ rate, cost_per_pass_usd: cost }) => ({ rate: rate ?? 0, cost: cost ?? 0 })));
  return front[known.indexOf(agent)] ?? null;
}

/**
 * Two agents, and their runs in each scenario that both have. One in which only one was tested shows nothing, but the
 * errors of the other may hide something.
 */
interface Contest {
  first: AgentRuns;
  second: AgentRuns;
  arms: Pair[];
}

const contestsOf = (agents: readonly AgentRuns[]): Contest[] =>
  agents.flatMap((first, at) =>
    agents.slice(at + 1).map((second) => ({
      first,
      second,
      arms: [...first.arms].flatMap(([name, head]): Pair[] => {
        const base = second.arms.get(name);
        return base === undefined ? [] : [{ base, head }];
      }),
    })),
  );

/** The pairs are tested together, so all are at the level of the one that was looked at most. */
function lookAt(contests: readonly Contest[], alpha: number): Pick<Looks, 'number' | 'level' | 'spent'> {
  const looks = [looksAt([], { alpha }), ...contests.map(({ arms }) => looksAt(arms, { alpha }))];
  return {
    number: Math.max(...looks.map(({ number }) => number)),
    level: Math.min(...looks.map(({ level }) => level)),
    spent: Math.max(...looks.map(({ spent }) => spent)),
  };
}

function pairsOf(contests: readonly Contest[], { alpha, margin }: ComparisonOptions): AgentPair[] {
  const arms = contests.map((one) => one.arms);
  const strata = arms.map((some) => some.map(stratumOf));
  const ends = arms.map((some) => some.map(endsOf));
  const [best, worst] = [
    ends.map((some) => some.map((one) => one.best)),
    ends.map((some) => some.map((one) => one.worst)),
  ];
  const tests = testFamily(strata, { alpha });
  const atLeast = ends.map(highestSureP);
  const [testsAtBest, testsAtWorst] = [testFamily(best, { alpha, atLeast }), testFamily(worst, { alpha, atLeast })];
  // Only one of the two claims about a pair can be wrong, so they share the level of the pair.
  const level = alpha / Math.max(1, strata.filter((some) => some.some(isStratumTested)).length);
  return contests.flatMap(({ first, second }, at) => {
    const test = tests[at];
    if (test === undefined) return [];
    const compared = (strata[at] ?? []).filter(isStratumTested);
    return [
      {
        first: nameOf(first),
        second: nameOf(second),
        scenarios: compared.length,
        ...test,
        robust: isRobust(test.verdict, testsAtBest[at], testsAtWorst[at]),
        not_worse:
          margin === null || compared.length === 0
            ? null
            : notWorseBothWays(best[at] ?? [], worst[at] ?? [], { margin, alpha: level }),
      },
    ];
  });
}

/**
 * The head of each stratum is the first of the pair. `best`, `worst`: what hidden cells could show, for the first.
 */
function notWorseBothWays(
  best: readonly Stratum[],
  worst: readonly Stratum[],
  options: { margin: number; alpha: number },
): AgentPair['not_worse'] {
  const swapped = best.map(({ base, head }) => ({ base: head, head: base }));
  return { first: notWorse(worst, options), second: notWorse(swapped, options) };
}

function isWithinMargin(agent: RankedAgent, ranked: readonly RankedAgent[], pairs: readonly AgentPair[]): boolean {
  const is = (name: AgentName, one: RankedAgent): boolean => name.agent === one.agent && name.model === one.model;
  return ranked
    .filter((other) => other !== agent)
    .every((other) =>
      pairs.some(
        ({ first, second, not_worse: found }) =>
          (is(first, agent) && is(second, other) && found?.first.holds === true) ||
          (is(second, agent) && is(first, other) && found?.second.holds === true),
      ),
    );
}

const nameOf = ({ agent, model }: AgentRuns) => ({ agent, model });

const isLoser = ({ agent, model }: RankedAgent, { first, second, verdict, robust }: AgentPair): boolean => {
  if (robust === false) return false;
  const loser = verdict === 'better' ? second : verdict === 'worse' ? first : null;
  return loser?.agent === agent && loser.model === model;
};
