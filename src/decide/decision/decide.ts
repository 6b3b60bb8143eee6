import { groupBy, mean } from '#lib';
import type { Cell } from '#model';
import {
  boundaries,
  intervalOfOthers,
  normalTail,
  otherScenarios,
  type Round,
  sequentialP,
  type Stratum,
  timesOf,
  total,
} from '#statistics';
import {
  type PairedConfiguration,
  cellsOfPair,
  pairedCells,
  isBaseRun,
  type CellPair,
  type CellResult,
} from './paired-cells.js';
import { isDecided } from '../is-tested.js';
import type { Decision } from './decision.js';
import { meanRewards, type MeanRewards } from './look-at-rewards.js';
import { replayRounds, type Replay } from './replay-rounds.js';
import type { UntilClear } from './until-clear.js';

/** The largest difference between shares of errors that is called alike. */
const ALIKE = 0.1;

interface Errors {
  ended: number;
  /** Cells of which a run has ended with an error. */
  errored: number;
}

/** Reasons why the verdict of a sweep is less reliable. `released`: its cells that were needed. */
const decisionDoubts = (
  { base, measure }: Pick<UntilClear, 'base' | 'measure'>,
  configurations: readonly PairedConfiguration[],
  {
    released,
    results,
    leftOut,
  }: {
    released: readonly Cell[];
    results: ReadonlyMap<string, CellResult>;
    leftOut: number;
  },
): string[] => [
  ...(base.kind === 'variant'
    ? []
    : [
        `${base.sweep} ran earlier: whatever has changed since, such as the model behind its name, counts as a difference`,
      ]),
  ...(leftOut === 0
    ? []
    : [
        `${leftOut} ${leftOut === 1 ? 'pair of runs was' : 'pairs of runs were'} left out: ${measure === 'reward' ? 'a run has no reward from 0 to 1' : 'a run neither passed nor failed'}`,
      ]),
  ...errorDoubt(configurations, released, results),
];

/** If errors depend on how a run goes, the runs that replace those with errors are no fair sample. */
function errorDoubt(
  configurations: readonly PairedConfiguration[],
  released: readonly Cell[],
  results: ReadonlyMap<string, CellResult>,
): string[] {
  const needed = new Set(released.map(({ id }) => id));
  const pairs = configurations.flatMap((one) => one.pairs.filter(({ head }) => needed.has(head.id)));
  const of = (side: keyof CellPair): Errors => {
    const ended = pairs.flatMap((pair) => hasErrors(pair[side], results) ?? []);
    return { ended: ended.length, errored: ended.filter((errors) => errors).length };
  };
  const [ofBase, ofHead] = [of('base'), of('head')];
  if (ofBase.errored + ofHead.errored === 0) return [];
  const share = ({ ended, errored }: Errors): number => (ended === 0 ? 0 : errored / ended);
  const differ = Math.abs(share(ofHead) - share(ofBase)) > ALIKE;
  return [
    `${differ ? 'error rates differ: ' : ''}${ofHead.errored} of ${ofHead.ended} cells of the new side, ${ofBase.errored} of ${ofBase.ended} of the base had a run that ended with an error; a verdict is given only if it holds however these runs would have ended`,
  ];
}

/** Returns whether a run of a cell ended with an error; null if none has ended. */
function hasErrors(run: CellPair['base'], results: ReadonlyMap<string, CellResult>): boolean | null {
  if (isBaseRun(run)) return run.outcome === null || run.after_errors;
  const result = results.get(run.id);
  return result === undefined ? null : result.errors > 0;
}

/** The status of a sweep, as far as a decision depends on it. */
type Status = 'open' | 'completed' | 'cancelled';

/** The decision of a sweep, and its cells that were needed for that. */
interface Decided {
  decision: Decision;
  released: Cell[];
  /** Released cells that are to be run now, some of them again. */
  wanted: Cell[];
}

/** Decides by the results of a sweep whether its verdict is clear. `results`: by cell, those that have ended. */
export function decide(
  cells: readonly Cell[],
  plan: UntilClear,
  results: ReadonlyMap<string, CellResult>,
  status: Status,
): Decided {
  const replay = replayRounds(cells, plan, results, status !== 'open');
  const { configurations, rounds, last, released, wanted } = replay;
  const stopped = replay.stopped ?? (status === 'open' ? null : status === 'cancelled' ? 'cancelled' : 'budget');
  const countedRounds = rounds.map((round) => round.map((one) => one.counted));
  const counted = total(countedRounds);
  const rewards = plan.measure === 'reward' ? meanRewards(replay.pairs, results) : null;
  const most = configurations.reduce((sum, { pairs }) => sum + pairs.length, 0);
  const pairsLeftOut = rounds.flat().reduce((sum, { leftOut, notRun }) => sum + leftOut.pairs + notRun, 0);
  return {
    released,
    wanted,
    decision: {
      base: {
        variant: plan.base.kind === 'variant' ? plan.base.variant : null,
        sweep: plan.base.kind === 'sweep' ? plan.base.sweep : null,
      },
      head_variant: plan.base.kind === 'variant' ? (configurations[0]?.variant ?? null) : null,
      verdict: verdictOf(replay, stopped),
      stopped,
      ...(plan.measure === undefined ? {} : { measure: plan.measure }),
      margin: plan.margin,
      ...(plan.effect === undefined || replay.power === null
        ? {}
        : { effect: { difference: plan.effect, power: replay.power } }),
      alpha: plan.alpha,
      ...(plan.spent_before === undefined ? {} : { spent_before: plan.spent_before }),
      difference: last.difference,
      interval: last.interval,
      ...otherScenariosOf(configurations, { counted, rewards }, last, {
        alpha: plan.alpha,
        most,
        rounds: countedRounds,
      }),
      spent_alpha: last.spent_alpha,
      p:
        last.difference === null
          ? null
          : (last.p ?? sequentialP(countedRounds.slice(0, last.rounds), { alpha: plan.alpha, most })),
      rounds: rounds.length,
      runs: released.filter(({ id }) => results.has(id)).length,
      runs_again: released.reduce((sum, { id }) => sum + runsAgain(results.get(id)), 0),
      most_runs: cells.length,
      pairs_left_out: pairsLeftOut,
      configurations: configurations.map(({ scenario, agent, model, variant }, at) => ({
        scenario,
        agent,
        model,
        variant,
        ...sidesOf(counted[at], rewards?.[at]),
      })),
      doubts: decisionDoubts(plan, configurations, { released, results, leftOut: pairsLeftOut }),
    },
  };
}

/** The runs of a cell that repeat one that ended with an error. */
const runsAgain = (result: CellResult | undefined): number =>
  result === undefined ? 0 : Math.max(0, result.errors - (isDecided(result) ? 0 : 1));

const NONE = { passed: 0, tested: 0 };

function sidesOf(
  { base, head }: Stratum = { base: NONE, head: NONE },
  rewards?: MeanRewards,
): Pick<Decision['configurations'][number], 'base' | 'head'> {
  const withReward = (
    side: Stratum['base'],
    reward: number | null | undefined,
  ): Decision['configurations'][number]['base'] => (reward == null ? side : { ...side, reward });
  return { base: withReward(base, rewards?.base), head: withReward(head, rewards?.head) };
}

/** At the level of the last look, because the sweep may have stopped for what it saw. */
function otherScenariosOf(
  configurations: readonly PairedConfiguration[],
  { counted, rewards }: { counted: readonly Stratum[]; rewards: readonly MeanRewards[] | null },
  { interval: atLeast, rounds: last }: Replay['last'],
  { alpha, most, rounds }: { alpha: number; most: number; rounds: readonly Round[] },
): Pick<Decision, 'other_scenarios'> {
  const z = boundaries(timesOf(rounds.slice(0, last), most), alpha).at(-1);
  if (z === undefined || !Number.isFinite(z)) return {};
  const level = 2 * normalTail(z);
  const groups = groupBy(configurations, ({ scenario }) => scenario);
  const of = <T>(all: readonly T[]): T[][] =>
    groups.map((group) => group.flatMap((one) => all[configurations.indexOf(one)] ?? []));
  const found =
    rewards === null
      ? otherScenarios(of(counted), { alpha: level, atLeast })?.interval
      : atLeast && intervalOfOthers(of(rewards).flatMap(meanChangeOf), { alpha: level, atLeast });
  return found == null ? {} : { other_scenarios: found };
}

/** The mean change of the rewards of a scenario's configurations; empty if none is known. */
const meanChangeOf = (configurations: readonly MeanRewards[]): number[] =>
  [mean(configurations.flatMap(({ base, head }) => (base === null || head === null ? [] : [head - base])))].flatMap(
    (change) => change ?? [],
  );

function verdictOf({ verdict, last }: Replay, stopped: Decision['stopped']): Decision['verdict'] {
  if (stopped === null) return 'undecided';
  if (stopped === 'errors' || verdict === null || last.difference === null) return 'not tested';
  return verdict;
}

/** True if the largest possible difference would be noticed before all runs of the plan are used up. */
export const canDecide = (cells: readonly Cell[], plan: UntilClear): boolean =>
  [true, false].some((headPasses) => replayRounds(cells, plan, extreme(cells, plan, headPasses)).stopped === 'clear');

const BEST = { outcome: 'pass', reward: 1 } as const;
const WORST = { outcome: 'fail', reward: 0 } as const;

function extreme(cells: readonly Cell[], plan: UntilClear, headPasses: boolean): Map<string, CellResult> {
  const pairs = pairedCells(cells, plan).flatMap((configuration) => configuration.pairs);
  return new Map(
    pairs.flatMap((pair) =>
      cellsOfPair(pair).map((cell): [string, CellResult] => [
        cell.id,
        { ...((cell === pair.head) === headPasses ? BEST : WORST), cost_usd: null, errors: 0 },
      ]),
    ),
  );
}
