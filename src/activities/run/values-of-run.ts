import { ApplicationFailure } from '@temporalio/common';
import { variablesOfRuntime } from '#agent-host';
import { missingInEnvironment, variablesOfEnvironment } from '#environments';
import { knownProviders, missingVariables, type ModelProvider, readSweepEnv, type SweepEnv, sweepEnvFrom } from '#host';
import { interpolate, parseJudgeName, referredNames, variableNames } from '#lib';
import type { Cell } from '#model';
import { containerVariables, type EffectiveScenario, judgeModelOf, type Plan, serverAddresses } from '#scenario';
import { type McpConnection, mcpServersOf, type StoredServer, type StoredSubject, variablesOfSubject } from '#subjects';
import {
  type AgentRef,
  resolveAgent,
  resolveEnv,
  variablesOfAgent,
  type ResolvedAgent,
} from '../credentials/resolve-agent.js';
import { databasesOfRun, type DatabasesOfRun } from './databases-of-run.js';
import type { Deps } from '../step/deps.js';
import type { RunIdentity } from './context.js';

interface ValuesOfRun extends SweepEnv {
  /** True if a command passed them. Otherwise they are those of the worker, which may be others in the next step. */
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
  const asked = judgeOf(plan, effective);
  const referred = [
    ...referredNames(effective.target?.env ?? {}),
    ...containerVariables(effective.scenario).flatMap(referredNames),
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

/** The variables of a run, and what they are filled into: its places and secrets depend on them. */
export interface Variables {
  targetEnv: Record<string, string>;
  onServers: DatabasesOfRun;
  env: ValuesOfRun;
  agent: ResolvedAgent;
  /** The agent that is asked in place of a model; null if none is, or if this worker does not know it. */
  judging: (ResolvedAgent & Pick<AgentRef, 'model'>) | null;
}

/** @throws ApplicationFailure (non-retryable) if this worker does not know the agent */
export async function loadVariables(deps: Deps, identity: RunIdentity): Promise<Variables> {
  const { plan, run, scenario, state, target } = identity;
  const env = await valuesOfRun(deps, plan, run.cell, identity);
  const agent = resolveAgent(plan, run.cell, env.values);
  if (agent === null)
    throw ApplicationFailure.nonRetryable(`this worker does not know the agent ${run.cell.agent}`, 'UnknownAgent');
  const asked = judgeOf(plan, identity).agent;
  const judging = asked === null ? null : resolveAgent(plan, asked, env.values);
  return {
    env,
    agent,
    judging: asked === null || judging === null ? null : { ...judging, model: asked.model },
    targetEnv: resolveEnv(target?.env ?? {}, env.values).env,
    onServers: databasesOfRun(scenario, state, env.values),
  };
}

/** Returns the variables that a run needs and that have no value. */
export function missingValues(
  plan: Plan,
  cell: Cell,
  effective: EffectiveScenario,
  values: Record<string, string>,
): string[] {
  const asked = judgeOf(plan, effective);
  const startsAgent = plan.regrade?.or_run !== false;
  const isUnset = (name: string): boolean => !Object.hasOwn(values, name);
  return [
    ...new Set([
      ...resolveEnv(effective.target?.env ?? {}, values).missing,
      ...containerVariables(effective.scenario).flatMap((env) => resolveEnv(env, values).missing),
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

/** Returns whom the judge and other parts of the run ask: an agent, a provider's model, or nobody. */
export function judgeOf(
  { providers }: Plan,
  effective: EffectiveScenario,
): { agent: AgentRef | null; provider: ModelProvider | null; providerName: string } {
  const name = parseJudgeName(judgeModelOf(effective) ?? '');
  if (!name.ok) return { agent: null, provider: null, providerName: '' };
  return name.by === 'agent'
    ? { agent: name, provider: null, providerName: '' }
    : {
        agent: null,
        provider: knownProviders(providers).get(name.provider) ?? null,
        providerName: name.provider,
      };
}

/**
 * Fills in the values of variables. Preparing the run has refused variables without a value. `base`: the variables that
 * every program of the run gets. `plugin`: the variables of the plugin that has the server.
 */
export function connectionOf(
  { plugin: ofPlugin, command, args = [], env = {}, url = '', headers = {} }: StoredServer,
  base: Record<string, string>,
  shell: Record<string, string>,
  plugin: Record<string, string> = {},
): McpConnection {
  const values = { ...shell, ...plugin };
  const fill = (text: string): string => {
    const filled = interpolate(text, values);
    return filled.ok ? filled.text : '';
  };
  const fillAll = (texts: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text)]));
  return command === undefined
    ? { url: fill(url), headers: fillAll(headers) }
    : {
        command: ofPlugin === undefined ? command : fill(command),
        args: args.map(fill),
        env: { ...base, ...plugin, ...fillAll(env) },
      };
}

/**
 * The arguments and variables of a program under test, which may be addresses. A server that has an address itself is
 * reached by the proxy alone.
 */
export const mcpAddresses = (subject: readonly StoredSubject[] | undefined, values: Record<string, string>): string[] =>
  mcpServersOf(subject).flatMap((server) => {
    const connection = connectionOf(server, {}, values);
    return 'url' in connection ? [] : Object.values(connection.env);
  });
