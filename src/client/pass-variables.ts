import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  addressVariables,
  displayPath,
  isMirror,
  type PublicValues,
  publicVariables,
  readSweepEnv,
  removeSweepEnv,
  replaceValues,
  type SweepEnv,
  sweepEnvFrom,
  writeSweepEnv,
} from '#host';
import { UsageError } from '#lib';
import { neededVariables, unsetVariables } from '#planning';
import { EffectiveScenario, type Plan, publicNames, serverAddresses } from '#scenario';
import {
  checksFolder,
  fetchSweep,
  fixtureFolder,
  readResultsFile,
  scenarioFile,
  sharedProjectOf,
  storeFolder,
} from '#store';
import { hasEnded } from '#sweeps';
import type { Session } from './session.js';

/** Reads the stored scenarios of a plan. @throws UsageError if there are none, or parts of them are gone */
export async function storedScenarios(resultsPath: string, plan: Plan): Promise<EffectiveScenario[]> {
  if (plan.imported !== undefined)
    throw new UsageError('usage', `${plan.sweep} was imported from Inspect: it can be looked at and compared, not run`);
  const project = await sharedProjectOf(resultsPath);
  if (project !== null) await fetchSweep(project, plan.sweep);
  return plan.scenarios.map(({ hash }) => {
    checkStored(resultsPath, join(storeFolder(resultsPath), hash), plan.sweep);
    const scenario = readResultsFile(scenarioFile(resultsPath, hash), EffectiveScenario);
    checkStored(resultsPath, fixtureFolder(resultsPath, scenario.fixture), plan.sweep);
    if (scenario.checks !== undefined) checkStored(resultsPath, checksFolder(resultsPath, scenario.checks), plan.sweep);
    return scenario;
  });
}

function checkStored(resultsPath: string, folder: string, sweep: string): void {
  if (existsSync(folder)) return;
  throw new UsageError(
    'results_broken',
    `${displayPath(folder)} is gone: ${sweep} has its scenarios and fixtures there and cannot continue without them; restore ${displayPath(storeFolder(resultsPath))}, or run the scenarios again`,
  );
}

/**
 * Passes the values of variables to a sweep again. They are those of the previous command. If these are gone
 * (deleted when the sweep ended, or with the state folder), they are taken from this shell. Values in `file` override
 * both. Warns about variables without a value.
 */
export async function passVariablesAgain(
  session: Session,
  plan: Plan,
  scenarios: readonly EffectiveScenario[],
  file: NodeJS.Dict<string>,
): Promise<void> {
  if (isMirror(session.engine.resultsPath)) return;
  const known = await readSweepEnv(session.stateFolder, plan.sweep);
  const needs = {
    agents: plan.agents,
    providers: plan.providers,
    targets: scenarios.map(({ target }) => target),
    servers: scenarios.flatMap(({ scenario }) => serverAddresses(scenario.databases)),
    cells: plan.cells,
    judges: scenarios.map(({ judge, asked }) => judge ?? asked ?? null),
    environments: scenarios.map(({ scenario }) => scenario.environment),
    runtimes: scenarios.map(({ scenario }) => scenario.runtime),
    settings: scenarios.flatMap(({ host }) => host?.settings ?? []),
    subjects: scenarios.map(({ subject }) => subject),
  };
  const fresh = sweepEnvFrom(known === null ? { ...process.env, ...file } : file, neededVariables(needs));
  const env = replaceValues(known, fresh);
  await passVariables(session, plan, scenarios, env);
  const unset = unsetVariables(needs, env.values);
  if (unset.length > 0)
    session.report(
      `warning: not set here: ${unset.join(', ')}; cells that need it will end with an error: export it, or name a file that sets it with --env-file`,
    );
}

/**
 * Replaces values of a sweep that has not ended, for example an expired key. What is started from now on gets them.
 * Does nothing if `file` has none.
 */
export async function passNewValues(
  session: Session,
  plan: Plan,
  { scenarios, file }: { scenarios: readonly EffectiveScenario[]; file: NodeJS.Dict<string> },
): Promise<void> {
  if (Object.keys(file).length === 0) return;
  await passVariablesAgain(session, plan, scenarios, file);
  // If the sweep has ended meanwhile, nobody else deletes them.
  if (hasEnded(session.engine.resultsPath, plan)) await removeSweepEnv(session.stateFolder, plan.sweep);
}

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
