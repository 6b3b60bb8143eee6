import { assertNever } from '../../lib/assert-never.js';
import { configurationLabel } from '../records/cell-label.js';
import type { ComparisonVerdict, Gate, Side } from './document.js';
import type { Stratum } from '../../statistics/counts.js';
import type { Arm, Pair } from './samples.js';
import { testOf, verdictOf } from './verdict-of.js';

/**
 * Decides the result of `--fail-on-worse`. It fails closed: head passes only if everything that base tested was tested
 * again, and missing results could not make it worse. On the other hand, head is not called worse if only missing
 * results could make it so. `onlyInBase`: configurations that head does not have.
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
    ...sentence(dropped, 'tested in base, missing in head'),
    ...sentence(
      untested.map(({ head }) => head),
      'tested in base, but no run of head passed or failed',
    ),
    ...doubts,
  ];
  if (reasons.length > 0) return { result: 'not tested', reasons };
  switch (verdict) {
    case 'too few runs':
      return { result: 'undecided', reasons: ['too few runs to show that head is worse'] };
    case 'better':
    case 'no difference shown':
      return { result: 'not worse', reasons: [] };
    case 'nothing to compare':
      // All results were reused: the inputs are the same, and so are the results.
      return { result: 'not worse', reasons: [] };
    default:
      return assertNever(verdict);
  }
}

/** Number of cells that passed or failed, including those not counted because the other side has the same run. */
const results = ({ tested, shared }: Side): number => tested + shared;
const missing = ({ errored, cancelled, waiting }: Side): number => errored + cancelled + waiting;

/**
 * Returns a reason if the cells without a result decide whether head is worse. These cells are not a fair sample: a
 * broken tool may cause errors where it would have failed, and a judge that is asked only after all gates passed turns
 * passes into errors, never failures. So a verdict must also hold if the missing cells turned out against it.
 */
function missingCells(verdict: ComparisonVerdict, pairs: readonly Pair[]): string[] {
  const isWorse = verdict === 'worse';
  if ((withMissing(pairs, { headPasses: isWorse }) === 'worse') === isWorse) return [];
  const count = (name: keyof Pair): number => pairs.reduce((sum, pair) => sum + missing(pair[name].side), 0);
  const otherwise = isWorse
    ? 'if those of head passed and those of base failed, head would not be worse'
    : 'if those of head failed and those of base passed, head would be worse';
  return [`${count('head')} cells of head and ${count('base')} of base were not tested: ${otherwise}`];
}

/** Returns the verdict if all missing cells of head had passed and all of base failed, or the other way round. */
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
  const names = arms.slice(0, NAMED).map(({ configuration }) => configurationLabel(configuration));
  const more = arms.length > NAMED ? ` and ${arms.length - NAMED} more` : '';
  return [`${what}: ${names.join(', ')}${more}`];
}
