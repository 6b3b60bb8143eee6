import { formatProblem, type Problem } from '../lib/errors/problem.js';
import { checksNothing } from '../scenario/scenario.js';
import { DEFAULT_VARIANT } from '../results/records/cell-label.js';
import type { SelectedScenario } from './select-scenarios.js';

/** Returns a warning for each variant in which nothing checks what the agent does. `noJudge`: judges are not asked. */
export function uncheckedWarnings(scenarios: readonly SelectedScenario[], noJudge = false): Problem[] {
  const warnings = scenarios.flatMap(({ variants, scenario: { baseline } }) =>
    variants.flatMap(({ variant, scenario, problemAt }): Problem[] => {
      const isJudged = !noJudge && scenario.judgment.judge?.enabled === true;
      if (!checksNothing(scenario, isJudged)) return [];
      const where = variant === DEFAULT_VARIANT && baseline !== true ? '' : ` in the variant ${variant}`;
      return [
        problemAt(
          ['checks', 'gates'],
          `nothing is checked${where}: no gates and no judge, so its runs count in no rate, comparison or verdict`,
        ),
      ];
    }),
  );
  return [...new Map(warnings.map((one) => [formatProblem(one), one])).values()];
}
