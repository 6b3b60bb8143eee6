import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import type { Agent, ModelAccess } from '../agents/agent.js';
import { knownAgents } from '../agents/index.js';
import type { Environment, EnvironmentHandle } from '../environments/environment.js';
import { chooseEnvironment, environments } from '../environments/index.js';
import { interpolate, variableNames } from '../lib/interpolate.js';
import { parseModelName } from '../lib/model-name.js';
import { createRedactor } from '../lib/redact.js';
import { handoverFrom, readHandover } from '../platform/handover.js';
import { knownProviders, missingVariables, type ModelProvider } from '../platform/model-providers.js';
import type { Cell } from '../results/cell.js';
import { EffectiveScenario, Plan } from '../scenario/plan.js';
import { planFile, runFiles, scenarioFile, type RunFiles } from '../store/results-folder.js';
import type { RunRef } from '../workflows/protocol.js';
import { loginSecrets } from './login-files.js';

/** What the worker gives to every activity. */
export interface Deps {
  resultsPath: string;
  stateFolder: string;
}

/** All that a step needs to know of its run, read from the plan, the store and the handed-over values. */
export interface RunContext extends EffectiveScenario {
  run: RunRef;
  agent: Agent;
  environment: Environment;
  handle: EnvironmentHandle;
  /** Why there is no sandbox though the scenario asks for one; null where there is, or it does not ask. */
  lacksSandbox: string | null;
  files: RunFiles;
  scenarioFile: string;
  scenarioHash: string;
  /** Private folders of the run; the same for every attempt. */
  home: string;
  config: string;
  temporary: string;
  binaries: string;
  /** PATH, HOME, locale: what everything in the run sees. */
  baseEnv: Record<string, string>;
  targetEnv: Record<string, string>;
  /** Key and address of the provider of the agent's model; null where the agent is given none. */
  access: ModelAccess | null;
  /** Who serves the judge's model; null where no judge is asked, or this worker does not know it. */
  provider: ModelProvider | null;
  /** Handed-over values by name; for whoever they are meant for, never as a whole. */
  values: Record<string, string>;
  /** Variables that are referred to, or needed by the agent or the judge, and have no value. */
  missing: string[];
  /** What the config says of the agent; null for a built-in one. */
  agentSettings: Plan['agents'][string] | null;
  /** Whether the sweep may reuse results. */
  cache: boolean;
  /** Prices of the sweep's config, by model. */
  prices: Plan['prices'];
  secrets: string[];
  redact: (text: string) => string;
}

/** Values that a file of the user's refers to are not to be seen in any report, except under such names. */
const NOT_SECRET = /^(HOME|USER|LOGNAME|PATH|PWD|SHELL|LANG|TMPDIR|TERM|TZ|CI)$/;

/**
 * Whoever can reach the Temporal server can start our workflows: a name must not lead to a plan, and so to commands,
 * outside the results folder, nor to folders outside the state that would be emptied.
 */
function checkName(name: string): void {
  if (name !== '' && !/[/\0]|^\.\.?$/.test(name)) return;
  throw ApplicationFailure.nonRetryable(`${JSON.stringify(name)} is no id of a sweep or run`, 'BadName');
}

/** Plans never change, and every activity needs its sweep's: the last few are kept. */
const plans = new Map<string, Plan>();
const PLANS_KEPT = 8;

export async function readPlan(resultsPath: string, sweep: string): Promise<Plan> {
  checkName(sweep);
  const file = planFile(resultsPath, sweep);
  const known = plans.get(file);
  if (known !== undefined) return known;
  const plan = await readStored(file, Plan);
  plans.set(file, plan);
  const [oldest] = plans.keys();
  if (plans.size > PLANS_KEPT && oldest !== undefined) plans.delete(oldest);
  return plan;
}

/** A scenario of the store, as it is run. */
export const readScenario = (resultsPath: string, hash: string): Promise<EffectiveScenario> =>
  readStored(scenarioFile(resultsPath, hash), EffectiveScenario);

/** Reads one of our own files. A broken one stays broken however often it is read. */
async function readStored<T>(file: string, schema: { parse(value: unknown): T }): Promise<T> {
  const text = await readFile(file, 'utf8');
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw ApplicationFailure.nonRetryable(
      `${file} cannot be read: ${(error as Error).message}`,
      'StoreBroken',
    );
  }
}

export async function loadRun(deps: Deps, run: RunRef): Promise<RunContext> {
  const { resultsPath, stateFolder } = deps;
  checkName(run.run);
  const plan = await readPlan(resultsPath, run.sweep);
  const planned = plan.scenarios.find(({ name }) => name === run.cell.scenario);
  if (planned === undefined) {
    throw ApplicationFailure.nonRetryable(
      `the plan of ${run.sweep} has no scenario ${run.cell.scenario}`,
      'StoreBroken',
    );
  }
  const effective = await readScenario(resultsPath, planned.hash);
  const settings = plan.agents[run.cell.agent];
  const provider = providerOf(effective, plan);
  const serving = servingAgent(plan, run.cell);
  const names = [
    ...[...referredNames(effective.target.env), ...referredNames(settings?.env ?? {})],
    ...[provider, serving].flatMap((one) => one?.variables ?? []),
  ];
  // Where no command has handed values over (a worker on another machine), the worker's own environment counts.
  const handover = (await readHandover(stateFolder, run.sweep)) ?? handoverFrom(process.env, names);

  const target = resolveEnv(effective.target.env, handover.values);
  const ofAgent = resolveEnv(settings?.env ?? {}, handover.values);
  const agents = knownAgents(
    settings === undefined ? {} : { [run.cell.agent]: { ...settings, env: ofAgent.env } },
  );
  const agent = agents.get(run.cell.agent);
  if (agent === undefined) {
    throw ApplicationFailure.nonRetryable(
      `this worker does not know the agent ${run.cell.agent}`,
      'UnknownAgent',
    );
  }
  const place = await chooseEnvironment(effective.scenario.environment.type);
  const root = join(stateFolder, 'work', run.run);
  const [home, config] = [join(root, 'home'), join(root, 'config')];
  const [temporary, binaries] = [join(root, 'tmp'), join(root, 'bin')];
  const secrets = [
    ...Object.entries(handover.values).flatMap(([name, value]) => (NOT_SECRET.test(name) ? [] : [value])),
    ...(await loginSecrets({ agent, home, config, handle: { root } })),
  ];
  return {
    ...effective,
    run,
    agent,
    environment: environments[place.type],
    handle: {
      ...{ type: place.type, root, workspace: join(root, 'fixture'), mark: run.run },
      // The state of all engines: this one's may be beside others'.
      hidden: [dirname(stateFolder), resultsPath, ...plan.hidden],
      project: plan.project,
    },
    lacksSandbox: place.lacking,
    files: runFiles(join(resultsPath, run.run)),
    scenarioFile: planned.file,
    scenarioHash: planned.hash,
    home,
    config,
    temporary,
    binaries,
    baseEnv: {
      ...handover.base,
      PATH: `${binaries}:${handover.base['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'}`,
      HOME: home,
      TMPDIR: temporary,
    },
    targetEnv: target.env,
    access:
      serving === null
        ? null
        : {
            key: agent.login === null ? serving.key(handover.values) : null,
            baseUrl: serving.address(handover.values),
          },
    provider,
    values: handover.values,
    missing: [
      ...new Set([
        ...[...target.missing, ...ofAgent.missing],
        ...(provider === null ? [] : missingVariables(provider, handover.values)),
        ...(serving === null || agent.login !== null ? [] : missingVariables(serving, handover.values)),
      ]),
    ],
    agentSettings: settings ?? null,
    cache: plan.cache && effective.scenario.cost.cache,
    prices: plan.prices,
    secrets,
    redact: createRedactor({ secrets }),
  };
}

function providerOf({ judge }: EffectiveScenario, plan: Plan): ModelProvider | null {
  if (judge === null) return null;
  const name = parseModelName(judge.model);
  return name.ok ? (knownProviders(plan.providers).get(name.provider) ?? null) : null;
}

/** Who serves the model of a cell's agent. */
function servingAgent(plan: Plan, { agent, model }: Cell): ModelProvider | null {
  const name = knownAgents(plan.agents).get(agent)?.provider(model) ?? null;
  return name === null ? null : (knownProviders(plan.providers).get(name) ?? null);
}

function resolveEnv(
  env: Record<string, string>,
  values: Record<string, string>,
): { env: Record<string, string>; missing: string[] } {
  const resolved: Record<string, string> = {};
  const missing: string[] = [];
  for (const [name, text] of Object.entries(env)) {
    const filled = interpolate(text, values);
    if (filled.ok) resolved[name] = filled.text;
    else missing.push(...filled.missing);
  }
  return { env: resolved, missing };
}

/** Names that the `${NAME}` in an environment map refer to. */
const referredNames = (env: Record<string, string>): string[] => Object.values(env).flatMap(variableNames);

/** The context, redacting also the tokens that the agent has been given since. */
export async function withNewLogin(context: RunContext): Promise<RunContext> {
  if (context.agent.login === null) return context;
  const secrets = [...new Set([...context.secrets, ...(await loginSecrets(context))])];
  return { ...context, secrets, redact: createRedactor({ secrets }) };
}

/** What scripts and gates see (specs/scripts.md). */
export function scriptEnv(context: RunContext): Record<string, string> {
  const { run, files, handle } = context;
  return {
    ...context.baseEnv,
    LLM_TOOL_TEST_FIXTURE_DIR: handle.workspace,
    LLM_TOOL_TEST_RESULTS_DIR: files.folder,
    LLM_TOOL_TEST_SCENARIO: run.cell.scenario,
    LLM_TOOL_TEST_AGENT: run.cell.agent,
    LLM_TOOL_TEST_MODEL: run.cell.model,
    LLM_TOOL_TEST_TRANSCRIPT: files.rawTranscript,
    LLM_TOOL_TEST_EVENTS: files.events,
    ...context.targetEnv,
  };
}
