import {
  addressVariables,
  isMirror,
  type PublicValues,
  publicVariables,
  type SweepEnv,
  writeSweepEnv,
} from '#host';
import { type EffectiveScenario, type Plan, publicNames } from '#scenario';
import { fixtureFolder } from '#store';
import type { Session } from './session.js';

/** Passes the values of variables to a sweep's workers. Warns about values that reports cannot keep secret. */
export async function passVariables(
  { stateFolder, report, engine: { resultsPath } }: Session,
  plan: Plan,
  scenarios: readonly EffectiveScenario[],
  sweepEnv: SweepEnv,
): Promise<void> {
  // The hosts take the values from their own environment.
  if (isMirror(resultsPath)) return;
  const known: PublicValues = {
    names: publicNames(plan, scenarios),
    addresses: addressVariables(plan.providers),
    fixtures: [...new Set(scenarios.map(({ fixture }) => fixtureFolder(resultsPath, fixture)))],
  };
  for (const [variable, named] of publicVariables(sweepEnv.values, known))
    report(
      `warning: the value of ${variable} is not redacted because it is also the name of ${named}; if it is a secret, rename one of them`,
    );
  await writeSweepEnv(stateFolder, plan.sweep, sweepEnv);
}
