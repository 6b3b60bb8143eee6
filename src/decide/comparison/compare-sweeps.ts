import { wilsonInterval, testDifference } from '#statistics';
import { gateKey, type ResultLine, DEFAULT_VARIANT, scenarioLabel } from '#model';
import { defined, type Json, pEquals } from '#lib';
import { armsOfBaseline, isInBaseline, nameOfBaseline, type StoredBaseline } from './baseline.js';
import { changesBetween, changesSinceBaseline, hasSameInputs, type SweepInputs } from './changes.js';
import { comparedSubjects } from './compared-subjects.js';
import { compareParameters } from './compare-parameters.js';
import { decideGate } from './decide-gate.js';
import {
  COMPARISON_VERSION,
  DEFAULT_OPTIONS,
  type ComparedConfiguration,
  type Comparison,
  type ComparisonOptions,
  type GateChange,
} from './document.js';
import { baselineDoubts, doubtsOf, stopDoubts } from './doubts.js';
import { boundedFindings, boundedMargins, hidden, isRobust, type BoundedFindings } from './findings.js';
import { looksAt, decidedFindings, decisionOf } from './looks.js';
import { measuresOf } from './measures.js';
import type { Decision } from '../decision/decision.js';
import {
  inputsOfLine,
  isSameQuestion,
  isSameSide,
  type Question,
  type SideInputs,
  type Start,
} from '../decision/question.js';
import { armsOf, isSharedWith, versionsIn, type Arm, type Pair, type SweepResults, type Sample } from './arms.js';
import { neededFor, otherScenariosOf, reliabilityOf, sumOf, estimatesOf } from './total-of.js';

/** Small, because every comparison is tested twice. */
const ALPHA = 0.01;

/**
 * Says for each side if its pass rate has changed while it ran: the second half of the runs of each configuration is
 * compared with the first. Runs that pass and fail by chance are flaky; these fail together, for a reason that may have
 * nothing to do with what is compared.
 */
const steadinessDoubts = (pairs: readonly Pair[]): string[] =>
  (['base', 'head'] as const).flatMap((name) => {
    const halves = pairs.map((pair) => halvesOf(pair[name].samples));
    const { p, verdict } = testDifference(halves, { alpha: ALPHA });
    if (p === null || (verdict !== 'better' && verdict !== 'worse')) return [];
    const rateOf = (half: 'base' | 'head'): string =>
      `${halves.reduce((all, one) => all + one[half].passed, 0)} of ${halves.reduce((all, one) => all + one[half].tested, 0)}`;
    return [
      `the pass rate of ${name} ${verdict === 'better' ? 'rose' : 'fell'} while it ran: ${rateOf('base')} of the first runs passed, ${rateOf('head')} of the last (${pEquals(p, ALPHA)}); its runs are not a fair sample`,
    ];
  });

function halvesOf(samples: readonly Sample[]) {
  const inOrder = [...samples].sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
  const middle = Math.floor(inOrder.length / 2);
  const count = (half: readonly Sample[]) => ({
    passed: half.filter(({ outcome }) => outcome === 'pass').length,
    tested: half.length,
  });
  return { base: count(inOrder.slice(0, middle)), head: count(inOrder.slice(middle)) };
}

/** Returns the gates that pass more or less often than before, those that got worse most first. */
function gateChanges(base: readonly ResultLine[], head: readonly ResultLine[]): GateChange[] {
  const [before, after] = [countGates(base), countGates(head)];
  const changes = [...after].flatMap(([gate, now]) => {
    const was = before.get(gate);
    if (was === undefined) return [];
    const by = now.passed / now.checked - was.passed / was.checked;
    const change = by > 0 ? ('better' as const) : ('worse' as const);
    return by === 0 ? [] : [{ by, found: { gate, base: was, head: now, change } }];
  });
  return changes.sort((a, b) => a.by - b.by).map(({ found }) => found);
}

/** Counts how often each gate was checked and passed. A gate that could not be checked is not counted. */
function countGates(lines: readonly ResultLine[]): Map<string, GateChange['base']> {
  const counts = new Map<string, GateChange['base']>();
  for (const detail of lines.flatMap((line) => line.metrics?.details ?? [])) {
    if (detail.status === 'error') continue;
    const count = counts.get(gateKey(detail)) ?? { passed: 0, checked: 0 };
    const passed = count.passed + (detail.status === 'pass' ? 1 : 0);
    counts.set(gateKey(detail), { passed, checked: count.checked + 1 });
  }
  return counts;
}

export interface SweepToCompare extends SweepResults, SweepInputs {}

/** Compares two sweeps, by configuration and in total: is head better or worse than base, and what else differs? */
export function compareSweeps(
  base: SweepToCompare,
  head: SweepToCompare,
  /** By scenario: files of its fixture that differ between the sweeps. */
  fixtureFiles: ReadonlyMap<string, readonly string[]>,
  options: ComparisonOptions = DEFAULT_OPTIONS,
): Comparison {
  const before = armsOf(base, isSharedWith(head), options);
  const after = armsOf(head, isSharedWith(base), options);
  const decision = decisionOf(base, head, options);
  return compareArms(before, after, { ...options, decision, startsOf: startsOf(base, head) }, (pairs, atLook) => {
    const parameters = compareParameters(base, head, pairs, atLook);
    const subject_tokens = comparedSubjects(base, head, pairs);
    return {
      base: nameOf(base),
      head: nameOf(head),
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(subject_tokens.length === 0 ? {} : { subject_tokens }),
      changes: changesBetween(base, head, pairs, fixtureFiles),
      doubts: [...doubtsOf(base, head, pairs), ...stopDoubts(base, head, decision), ...steadinessDoubts(pairs)],
    };
  });
}

/** Compares a sweep with what a baseline file has recorded of an earlier one. */
export function compareWithBaseline(
  base: StoredBaseline,
  head: SweepToCompare,
  options: ComparisonOptions = DEFAULT_OPTIONS,
): Comparison {
  const before = armsOfBaseline(base.lines, options);
  const after = armsOf(head, isInBaseline(base), options);
  return compareArms(before, after, options, (pairs) => ({
    base: nameOfBaseline(base),
    head: nameOf(head),
    changes: changesSinceBaseline(pairs),
    doubts: [...baselineDoubts(nameOfBaseline(base), head, pairs), ...steadinessDoubts(pairs)],
  }));
}

type Context = Pick<Comparison, 'base' | 'head' | 'parameters' | 'subject_tokens' | 'changes' | 'doubts'>;

interface AskedBefore {
  /** The verdict of a sweep that ran until it was clear, if its sides are compared. */
  decision?: Decision | null;
  /** The sweeps that have asked the same with `run --until-clear`. */
  startsOf?: (pairs: readonly Pair[]) => Start[];
}

/** Returns which of the sweeps of `run --until-clear` that are known of both sides have asked the same. */
const startsOf =
  (base: SweepToCompare, head: SweepToCompare) =>
  (pairs: readonly Pair[]): Start[] => {
    const known = new Map([...(base.starts ?? []), ...(head.starts ?? [])].map((start) => [start.sweep, start]));
    const inputsOf = ({ samples }: Arm, { agents }: SweepToCompare): SideInputs | null => {
      const newest = samples.at(-1);
      return newest === undefined ? null : inputsOfLine(newest, agents);
    };
    const tested = pairs.filter((pair) => pair.base.samples.length > 0 && pair.head.samples.length > 0);
    const question: Question = {
      pairs: tested.map((pair) => ({ base: inputsOf(pair.base, base), head: inputsOf(pair.head, head) })),
      base: base.sweep === head.sweep ? null : base.sweep,
    };
    const ranIn = new Set(
      tested
        .flatMap((pair) => [...pair.base.samples, ...pair.head.samples])
        .map((line) => line.ran_in?.sweep ?? line.sweep),
    );
    const isAlike = question.pairs.some(({ base: before, head: after }) => isSameSide(before, after));
    return [...known.values()].filter(
      (start) => isSameQuestion(question, start) || (isAlike && ranIn.has(start.sweep)),
    );
  };

function compareArms(
  before: ReadonlyMap<string, Arm>,
  after: ReadonlyMap<string, Arm>,
  { decision = null, startsOf = () => [], margin, alpha }: ComparisonOptions & AskedBefore,
  contextOf: (pairs: readonly Pair[], options: ComparisonOptions) => Context,
): Comparison {
  const both = [...before].flatMap(([key, arm]): Pair[] => {
    const other = after.get(key);
    return other === undefined ? [] : [{ base: arm, head: other }];
  });
  const looks = looksAt(both, { alpha, starts: startsOf(both), isDecided: decision !== null });
  // The sequential test has allowed for its own looks.
  const options: ComparisonOptions = { margin, alpha: decision === null ? looks.level : decision.alpha };
  const pairs = both.map(({ base, head }) => ({
    base: atLevel(base, options),
    head: atLevel(head, options),
  }));
  const missing = [...before].flatMap(([key, arm]) => (after.has(key) ? [] : arm));
  const added = [...after].flatMap(([key, arm]) => (before.has(key) ? [] : arm));
  const found = boundedFindings(pairs, options);
  const isComplete = pairs.every(({ base, head }) => hidden(base.side) + hidden(head.side) === 0);
  const findings = decision === null ? found : decidedFindings(found, decision, { margin, isComplete });
  /** The stop was chosen by all together: what single ones show at it is no verdict. */
  const isOneOfStopped = decision !== null && pairs.length > 1;
  const estimates = estimatesOf(pairs, options);
  const { verdict, ...total } = findings.actual.total;
  const { base, head, parameters, subject_tokens, changes, doubts } = contextOf(pairs, options);
  return {
    schema_version: COMPARISON_VERSION,
    base,
    head,
    ...options,
    verdict,
    ...(decision === null ? { look: { number: looks.number, of_alpha: alpha, spent: looks.spent } } : {}),
    next_start_alpha: looks.left,
    gate: decideGate(isOneOfStopped ? totalsOnly(findings) : findings, pairs, missing, options),
    total: {
      ...sumOf(pairs, options),
      ...total,
      ...(decision === null ? {} : { sequential: true as const }),
      ...boundedMargins(total, findings.bestForHead.total, findings.worstForHead.total),
      robust: isRobust(verdict, findings.bestForHead.total, findings.worstForHead.total),
      reliability: reliabilityOf(pairs, options),
      needed: neededFor(pairs, options, looks),
      other_scenarios: otherScenariosOf(pairs, options),
    },
    configurations: pairs.map((pair, at) => ({
      ...configurationOf(pair, at, findings, options),
      ...(isOneOfStopped ? { robust: isShown(findings.actual.configurations[at]) ? false : null } : {}),
      estimate: estimates.get(pair) ?? null,
    })),
    ...defined({ parameters, subject_tokens }),
    only_in_base: missing.map(({ configuration }) => configuration),
    only_in_head: added.map(({ configuration }) => configuration),
    changes,
    doubts,
  };
}

const isShown = (found: { verdict: Comparison['verdict'] } | undefined): boolean =>
  found?.verdict === 'better' || found?.verdict === 'worse';

const totalsOnly = ({ actual, bestForHead, worstForHead }: BoundedFindings): BoundedFindings => ({
  actual: { ...actual, configurations: [] },
  bestForHead: { ...bestForHead, configurations: [] },
  worstForHead: { ...worstForHead, configurations: [] },
});

const atLevel = (arm: Arm, options: { alpha: number }): Arm => ({
  ...arm,
  side: { ...arm.side, interval: wilsonInterval(arm.side, options) },
});

const nameOf = ({ sweep, variant, started, status, decision }: SweepToCompare): Comparison['base'] => ({
  sweep,
  variant,
  started,
  status,
  ...(decision == null ? {} : { stopped: decision.stopped }),
});

function configurationOf(
  pair: Pair,
  at: number,
  { actual, bestForHead, worstForHead }: BoundedFindings,
  options: ComparisonOptions,
): Omit<ComparedConfiguration, 'estimate'> {
  const found = actual.configurations[at];
  if (found === undefined) throw new Error(`no findings of configuration ${at}`);
  const [best, worst] = [bestForHead.configurations[at], worstForHead.configurations[at]];
  const ran = { base: versionsIn(pair.base.samples), head: versionsIn(pair.head.samples) };
  return {
    ...pair.head.configuration,
    ...(ran.base.versions === undefined && ran.head.versions === undefined ? {} : { agent_ran: ran }),
    base: pair.base.side,
    head: pair.head.side,
    ...found,
    ...boundedMargins(found, best, worst),
    robust: isRobust(found.verdict, best, worst),
    measures: measuresOf([pair], options),
    gates: gateChanges(pair.base.samples, pair.head.samples),
    same_inputs: hasSameInputs(pair),
  };
}

/** Reduces a sweep to one variant, under the default name, so that it can be compared with another variant. */
export function oneVariant(sweep: SweepToCompare, variant: string): SweepToCompare {
  const cells = sweep.cells.filter((cell) => cell.variant === variant);
  const ids = new Set(cells.map(({ id }) => id));
  const scenarios = [...new Set(cells.map(({ scenario }) => scenario))].flatMap((scenario): [string, Json][] => {
    const found = sweep.scenarios.get(scenarioLabel({ scenario, variant }));
    return found === undefined ? [] : [[scenario, found]];
  });
  return {
    ...sweep,
    variant,
    combinations: [],
    cells: cells.map((cell) => ({ ...cell, variant: DEFAULT_VARIANT })),
    lines: sweep.lines.filter(({ cell }) => ids.has(cell)),
    scenarios: new Map(scenarios),
  };
}
