import type { Found } from '../report/collect-steps.js';
import type { RunContext } from '../step/run-context.js';

/** Why a judge that the scenario has was not asked, as far as that is a reason of its own. */
export function whyNotJudged({ judge, scenario }: RunContext, found: Found): string | undefined {
  if (judge === null) return 'left out by --no-judge';
  if (judge.always) return undefined;
  const notPassed = found.gateDetails.filter(({ status }) => status !== 'pass').length;
  if (notPassed > 0) return `only a run that passes all gates is judged; ${notPassed} did not pass`;
  const agent = found.agent?.result.record;
  return scenario.evaluation.gates.length === 0 && agent?.completed === false
    ? 'the agent did not complete, and there are no gates'
    : undefined;
}
