import { assertNever } from '../../lib/assert-never.js';
import { scenarioLabel } from '../records/cell-label.js';
import type { ComparisonVerdict, Configuration, Gate, Side } from './document.js';
import type { Stratum } from './exact-test.js';
import type { Arm, Pair } from './samples.js';
import { testOf, verdictOf } from './verdict-of.js';

/**
 * What `--fail-on-worse` makes of a comparison. It fails closed: head passes only where all that base has tested was
 * tested again, and what is missing could not have made it worse. Nor is head called worse where it could be so only
 * because of what is missing. `onlyInBase`: configurations that head does not have.
 */
export function decideGate(
  verdict: ComparisonVerdict,
  pairs: readonly Pair[],
  onlyInBase: readonly Arm[],
): Gate {
  const doubts = missingCells(verdict, pairs);
  if (verdict === 'worse')
    return doubts.length === 0 ? { result: 'worse', reasons: [] } : { result: 'not tested', reasons: doubts };
  const dropped = onlyInBase.filter(({ side }) => results(side) > 0);
  const untested = pairs.filter(({ base, head }) => results(base.side) > 0 && results(head.side) === 0);
  const reasons = [
    ...(pairs.some(({ base, head }) => results(base.side) > 0 && results(head.side) > 0)
      ? []
      : ['no configuration has runs that passed or failed in both']),
    ...sentence(dropped, 'base has tested, and head does not have'),
    ...sentence(
      untested.map(({ head }) => head),
      'base has tested, and no run of head passed or failed',
    ),
    ...doubts,
  ];
  if (reasons.length > 0) return { result: 'not tested', reasons };
  switch (verdict) {
    case 'too few runs':
      return { result: 'undecided', reasons: ['so few runs could not show that head is worse'] };
    case 'better':
    case 'no difference shown':
      return { result: 'not worse', reasons: [] };
    case 'nothing to compare':
      // All of them were reused: the inputs are the same, and so is what came of them.
      return { result: 'not worse', reasons: [] };
    default:
      return assertNever(verdict);
  }
}

/** How many cells have a result, also where that does not count because it is a result of the other side. */
const results = ({ tested, shared }: Side): number => tested + shared;
const missing = ({ errored, cancelled, waiting }: Side): number => errored + cancelled + waiting;

/**
 * Cells without a result, where these decide whether head is worse. What cannot be tested is no fair sample: a broken tool may
 * err where it would have failed, and a judge that is asked only where all gates passed makes errors of passes, never of
 * failures. So a verdict has to hold also where the missing cells came out against it.
 */
function missingCells(verdict: ComparisonVerdict, pairs: readonly Pair[]): string[] {
  const isWorse = verdict === 'worse';
  if ((withMissing(pairs, { headPasses: isWorse }) === 'worse') === isWorse) return [];
  const count = (name: keyof Pair): number => pairs.reduce((sum, pair) => sum + missing(pair[name].side), 0);
  const otherwise = isWorse
    ? 'had those of head passed and those of base failed, head would not be worse'
    : 'had those of head failed and those of base passed, head would be worse';
  return [`${count('head')} cells of head and ${count('base')} of base were not tested: ${otherwise}`];
}

/** The verdict had the missing cells of head all passed and those of base all failed, or the other way round. */
function withMissing(pairs: readonly Pair[], { headPasses }: { headPasses: boolean }): ComparisonVerdict {
  const completed = ({ side }: Arm, passes: boolean): Stratum['base'] => ({
    passed: side.passed + (passes ? missing(side) : 0),
    tested: side.tested + missing(side),
  });
  const strata = pairs.map(({ base, head }): Stratum => ({
    base: completed(base, !headPasses),
    head: completed(head, headPasses),
  }));
  return verdictOf(testOf(strata.filter(({ base, head }) => base.tested > 0 && head.tested > 0)));
}

const NAMED = 3;

function sentence(arms: readonly Arm[], what: string): string[] {
  if (arms.length === 0) return [];
  const names = arms.slice(0, NAMED).map(({ configuration }) => nameOf(configuration));
  const more = arms.length > NAMED ? ` and ${arms.length - NAMED} more` : '';
  return [`${what}: ${names.join(', ')}${more}`];
}

const nameOf = (one: Configuration): string => `${scenarioLabel(one)} ${one.agent}/${one.model}`;
