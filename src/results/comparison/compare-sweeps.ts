import { SCHEMA_VERSION } from '../records/result-line.js';
import { compareParameters } from './compare-parameters.js';
import { changesBetween, hasSameInputs, type SweepInputs } from './changes.js';
import { ALPHA, type ComparedConfiguration, type Comparison } from './document.js';
import { doubtsOf } from './doubts.js';
import { decideGate } from './decide-gate.js';
import { gateChanges } from './gate-changes.js';
import { holm } from '../../statistics/holm.js';
import { measuresOf } from './measures.js';
import { armsOf, runsOf, type Arm, type Pair, type SweepResults } from './samples.js';
import { isTested, stratumOf, totalOf } from './total-of.js';
import { testOf, verdictOf } from './verdict-of.js';

export interface SweepToCompare extends SweepResults, SweepInputs {}

/** Compares two sweeps, by configuration and in total: is head better or worse than base, and what else differs? */
export function compareSweeps(
  base: SweepToCompare,
  head: SweepToCompare,
  /** By scenario: files of its fixture that differ between the sweeps. */
  fixtureFiles: ReadonlyMap<string, readonly string[]>,
): Comparison {
  const before = armsOf(base, runsOf(head));
  const after = armsOf(head, runsOf(base));
  const pairs = [...before].flatMap(([key, arm]): Pair[] => {
    const other = after.get(key);
    return other === undefined ? [] : [{ base: arm, head: other }];
  });
  const only = (arms: Map<string, Arm>, others: Map<string, Arm>) =>
    [...arms].flatMap(([key, { configuration }]) => (others.has(key) ? [] : configuration));
  const total = totalOf(pairs);
  const verdict = verdictOf(total);
  const parameters = compareParameters(base, head, pairs);
  const missing = [...before].flatMap(([key, arm]) => (after.has(key) ? [] : arm));
  return {
    schema_version: SCHEMA_VERSION,
    base: nameOf(base),
    head: nameOf(head),
    alpha: ALPHA,
    verdict,
    gate: decideGate(verdict, pairs, missing),
    total,
    configurations: withAdjusted(pairs),
    ...(parameters.length === 0 ? {} : { parameters }),
    only_in_base: only(before, after),
    only_in_head: only(after, before),
    changes: changesBetween(base, head, pairs, fixtureFiles),
    doubts: doubtsOf(base, head, pairs),
  };
}

const nameOf = ({ sweep, variant, started, status }: SweepToCompare): Comparison['base'] => ({
  sweep,
  variant,
  started,
  status,
});

/** Tests each configuration. Among many, some differ by chance; Holm's correction allows for that. */
function withAdjusted(pairs: readonly Pair[]): ComparedConfiguration[] {
  const tests = pairs.map((pair) => testOf(isTested(pair) ? [stratumOf(pair)] : []));
  const adjusted = holm(tests.flatMap(({ p }) => p ?? []));
  let next = 0;
  return pairs.map((pair, at) => {
    const { difference, p, smallest_p } = tests[at] ?? testOf([]);
    const adjusted_p = p === null ? null : (adjusted[next++] ?? null);
    return {
      ...pair.head.configuration,
      base: pair.base.side,
      head: pair.head.side,
      difference,
      p,
      adjusted_p,
      smallest_p,
      verdict: verdictOf({ difference, p: adjusted_p, smallest_p }),
      measures: measuresOf(pair.base.samples, pair.head.samples),
      gates: gateChanges(pair.base.samples, pair.head.samples),
      same_inputs: hasSameInputs(pair),
    };
  });
}
