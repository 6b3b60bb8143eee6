import { variablesOfRuntime } from '#agent-host';
import { missingInEnvironment, variablesOfEnvironment } from '#environments';
import { knownProviders, missingVariables, readSweepEnv, type SweepEnv, sweepEnvFrom } from '#host';
import { parseJudgeName, referredNames, variableNames } from '#lib';
import type { Cell } from '#model';
import { type EffectiveScenario, modelAsked, type Plan, serverAddresses } from '#scenario';
import { variablesOfSubject } from '#subjects';
import { resolveAgent, resolveEnv, variablesOfAgent, type AgentRef } from '../credentials/resolve-agent.js';
import type { Deps } from './deps.js';

interface ValuesOfRun extends SweepEnv {
  /** Whether a command passed them. Otherwise they are those of the worker, which may be others in the next step. */
  isPassed: boolean;
}

/**
 * Returns the values of the variables that a run needs, and the part of the environment that all its processes get.
 * @throws EnvFileProblem
 */
export async function valuesOfRun(
  { stateFolder, environment = () => process.env }: Pick<Deps, 'stateFolder' | 'environment'>,
  plan: Plan,
  cell: Cell,
  effective: EffectiveScenario,
): Promise<ValuesOfRun> {
  const asked = askedBy(plan, effective);
  const referred = [
    ...referredNames(effective.target?.env ?? {}),
    ...serverAddresses(effective.scenario.databases).flatMap(variableNames),
    ...variablesOfAgent(plan, cell),
    ...variablesOfHosted(effective),
    ...(effective.host?.settings ?? []),
    ...variablesOfSubject(effective.subject),
    ...(asked.agent === null ? [] : variablesOfAgent(plan, asked.agent)),
    ...(asked.provider?.variables ?? []),
    ...variablesOfEnvironment(effective.scenario.environment),
  ];
  // If no command has stored values on this machine (the worker is on another one), the worker's own environment is
  // used.
  const passed = await readSweepEnv(stateFolder, plan.sweep);
  return { ...(passed ?? sweepEnvFrom(environment(), referred)), isPassed: passed !== null };
}

/** Returns the variables that a run needs and that have no value. */
export function missingValues(
  plan: Plan,
  cell: Cell,
  effective: EffectiveScenario,
  values: Record<string, string>,
): string[] {
  const asked = askedBy(plan, effective);
  const startsAgent = plan.regrade?.or_run !== false;
  const isUnset = (name: string): boolean => !Object.hasOwn(values, name);
  return [
    ...new Set([
      ...resolveEnv(effective.target?.env ?? {}, values).missing,
      ...serverAddresses(effective.scenario.databases).flatMap(variableNames).filter(isUnset),
      ...(startsAgent
        ? [
            ...(resolveAgent(plan, cell, values)?.missing ?? []),
            ...[...variablesOfHosted(effective), ...variablesOfSubject(effective.subject)].filter(isUnset),
          ]
        : []),
      ...(asked.agent === null ? [] : (resolveAgent(plan, asked.agent, values)?.missing ?? [])),
      ...(asked.provider === null ? [] : missingVariables(asked.provider, values)),
      ...missingInEnvironment(effective.scenario.environment, values),
    ]),
  ];
}

const variablesOfHosted = ({ scenario: { runtime }, host }: EffectiveScenario): string[] =>
  runtime === undefined || host === undefined ? [] : variablesOfRuntime(runtime);

/** Who is asked by the judge and other parts of the run: an agent, a provider's model, or nobody. */
function askedBy(
  { providers }: Plan,
  effective: EffectiveScenario,
): { agent: AgentRef | null; provider: ReturnType<typeof providerNamed> } {
  const name = parseJudgeName(modelAsked(effective) ?? '');
  if (!name.ok) return { agent: null, provider: null };
  return name.by === 'agent'
    ? { agent: name, provider: null }
    : { agent: null, provider: providerNamed(providers, name.provider) };
}

const providerNamed = (providers: Plan['providers'], name: string) =>
  knownProviders(providers).get(name) ?? null;
