import { wilsonInterval } from '#statistics';
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
} from './document.js';
import { baselineDoubts, doubtsOf } from './doubts.js';
import { boundedFindings, boundedMargins, isRobust, type BoundedFindings } from './findings.js';
import { gateChanges } from './gate-changes.js';
import { looksAt } from './looks.js';
import { measuresOf } from './measures.js';
import type { Decision } from '../decision/decision.js';
import { decidedFindings, decisionOf, stopDoubts } from './optional-stopping.js';
import { armsOf, isSharedWith, type Arm, type Pair, type SweepResults } from './samples.js';
import { steadinessDoubts } from './steadiness.js';
import { neededFor, otherScenariosOf, reliabilityOf, sumOf, estimatesOf } from './total-of.js';

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
  return compareArms(before, after, { ...options, decision }, (pairs, atLook) => {
    const parameters = compareParameters(base, head, pairs, atLook);
    const subject_tokens = comparedSubjects(base, head, pairs);
    return {
      base: nameOf(base),
      head: nameOf(head),
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(subject_tokens.length === 0 ? {} : { subject_tokens }),
      changes: changesBetween(base, head, pairs, fixtureFiles),
      doubts: [
        ...doubtsOf(base, head, pairs),
        ...stopDoubts(base, head, decision),
        ...steadinessDoubts(pairs),
      ],
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

function compareArms(
  before: ReadonlyMap<string, Arm>,
  after: ReadonlyMap<string, Arm>,
  { decision = null, margin, alpha }: ComparisonOptions & { decision?: Decision | null },
  contextOf: (pairs: readonly Pair[], options: ComparisonOptions) => Context,
): Comparison {
  const both = [...before].flatMap(([key, arm]): Pair[] => {
    const other = after.get(key);
    return other === undefined ? [] : [{ base: arm, head: other }];
  });
  const looks = looksAt(both, alpha);
  // The sequential test has allowed for its own looks.
  const options: ComparisonOptions = { margin, alpha: decision === null ? looks.level : alpha };
  const pairs = both.map(({ base, head }) => ({
    base: atLevel(base, options),
    head: atLevel(head, options),
  }));
  const missing = [...before].flatMap(([key, arm]) => (after.has(key) ? [] : arm));
  const added = [...after].flatMap(([key, arm]) => (before.has(key) ? [] : arm));
  const found = boundedFindings(pairs, options);
  const findings = decision === null ? found : decidedFindings(found, decision, options);
  const estimates = estimatesOf(pairs, options);
  const { verdict, ...total } = findings.actual.total;
  const { base, head, parameters, subject_tokens, changes, doubts } = contextOf(pairs, options);
  return {
    ...{ schema_version: COMPARISON_VERSION, base, head, ...options, verdict },
    ...(decision === null ? { look: { number: looks.number, of_alpha: alpha, spent: looks.spent } } : {}),
    gate: decideGate(findings, pairs, missing, options),
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
      estimate: estimates.get(pair) ?? null,
    })),
    ...(parameters === undefined ? {} : { parameters }),
    ...(subject_tokens === undefined ? {} : { subject_tokens }),
    only_in_base: missing.map(({ configuration }) => configuration),
    only_in_head: added.map(({ configuration }) => configuration),
    ...{ changes, doubts },
  };
}

const atLevel = (arm: Arm, options: { alpha: number }): Arm => ({
  ...arm,
  side: { ...arm.side, interval: wilsonInterval(arm.side, options) },
});

const nameOf = ({ sweep, variant, started, status, decision }: SweepToCompare): Comparison['base'] => ({
  ...{ sweep, variant, started, status },
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
  return {
    ...pair.head.configuration,
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
