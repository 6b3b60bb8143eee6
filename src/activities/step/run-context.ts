import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import type { Agent, ModelAccess } from '../../agents/agent.js';
import type { Environment, EnvironmentHandle } from '../../environments/environment.js';
import { chooseEnvironment, environments } from '../../environments/index.js';
import { referredNames } from '../../lib/interpolate.js';
import { parseJudgeName } from '../../lib/model-name.js';
import { createRecent } from '../../lib/recent.js';
import { createRedactor } from '../../lib/redact.js';
import { handoverFrom, readHandover } from '../../platform/handover.js';
import { knownProviders, missingVariables, type ModelProvider } from '../../platform/model-providers.js';
import { EffectiveScenario, Plan } from '../../scenario/plan.js';
import { planFile, runFiles, scenarioFile, type RunFiles } from '../../store/results-folder.js';
import type { RunRef } from '../../workflows/protocol.js';
import {
  equipAgent,
  resolveEnv,
  variablesOfAgent,
  type EquippedAgent,
} from '../agent/equip-agent.js';
import { loginSecrets } from '../agent/login-files.js';

/** What the worker gives to every activity. */
export interface Deps {
  resultsPath: string;
  stateFolder: string;
}

/** Private folders below a root, the same for every attempt, and what is seen of them by what runs there. */
interface Places {
  home: string;
  config: string;
  temporary: string;
  binaries: string;
  /** PATH, HOME, locale. */
  baseEnv: Record<string, string>;
}

/** An agent that is asked one thing, in a place of its own: it judges a run, or is tried. */
export interface PlacedAgent extends EquippedAgent, Places {
  model: string;
  handle: EnvironmentHandle;
}

/** All that a step needs to know of its run, read from the plan, the store and the handed-over values. */
export interface RunContext extends EffectiveScenario, Places {
  run: RunRef;
  agent: Agent;
  environment: Environment;
  handle: EnvironmentHandle;
  /** Why there is no sandbox though the scenario asks for one; null where there is, or it does not ask. */
  lacksSandbox: string | null;
  files: RunFiles;
  scenarioFile: string;
  scenarioHash: string;
  targetEnv: Record<string, string>;
  /** Key and address of the provider of the agent's model; null where the agent is given none. */
  access: ModelAccess | null;
  /** Who serves the judge's model; null where none is asked by API, or this worker does not know it. */
  provider: ModelProvider | null;
  /** Who judges where that is an agent; null as above. */
  judgeAgent: PlacedAgent | null;
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

/** Those of handed-over values that no report may show. */
export const secretsIn = (values: Record<string, string>): string[] =>
  Object.entries(values).flatMap(([name, value]) => (NOT_SECRET.test(name) ? [] : [value]));

/**
 * Whoever can reach the Temporal server can start our workflows: a name must not lead to a plan, and so to commands,
 * outside the results folder, nor to folders outside the state that would be emptied.
 */
function checkName(name: string): void {
  if (name !== '' && !/[/\0]|^\.\.?$/.test(name)) return;
  throw ApplicationFailure.nonRetryable(`${JSON.stringify(name)} is no id of a sweep or run`, 'BadName');
}

/** Every step of every run of a sweep needs these, and they never change: the last few are kept. */
const plans = createRecent<Plan>(8);
const scenarios = createRecent<EffectiveScenario>(32);
const redactors = createRecent<(text: string) => string>(8);

export function readPlan(resultsPath: string, sweep: string): Promise<Plan> {
  checkName(sweep);
  const file = planFile(resultsPath, sweep);
  return plans(file, () => readStored(file, Plan));
}

/** A scenario of the store, as it is run. */
export function readScenario(resultsPath: string, hash: string): Promise<EffectiveScenario> {
  const file = scenarioFile(resultsPath, hash);
  return scenarios(file, () => readStored(file, EffectiveScenario));
}

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
  const judgeName = parseJudgeName(effective.judge?.model ?? '');
  const byAgent = judgeName.ok && judgeName.by === 'agent' ? judgeName : null;
  const provider =
    judgeName.ok && judgeName.by === 'api'
      ? (knownProviders(plan.providers).get(judgeName.provider) ?? null)
      : null;
  const names = [
    ...referredNames(effective.target.env),
    ...variablesOfAgent(plan, run.cell),
    ...(byAgent === null ? [] : variablesOfAgent(plan, byAgent)),
    ...(provider?.variables ?? []),
  ];
  // Where no command has handed values over (a worker on another machine), the worker's own environment counts.
  const handover = (await readHandover(stateFolder, run.sweep)) ?? handoverFrom(process.env, names);

  const target = resolveEnv(effective.target.env, handover.values);
  const equipped = equipAgent(plan, run.cell, handover.values);
  if (equipped === null) {
    throw ApplicationFailure.nonRetryable(
      `this worker does not know the agent ${run.cell.agent}`,
      'UnknownAgent',
    );
  }
  const place = await chooseEnvironment(effective.scenario.environment.type);
  const judging = byAgent === null ? null : equipAgent(plan, byAgent, handover.values);
  const root = join(stateFolder, 'work', run.run);
  const places = placesIn(root, handover.base);
  const handle: EnvironmentHandle = {
    ...{ type: place.type, root, workspace: join(root, 'fixture'), mark: run.run },
    // The state of all engines: this one's may be beside others'.
    hidden: [dirname(stateFolder), resultsPath, ...plan.hidden],
    project: plan.project,
  };
  const judge =
    judging === null || byAgent === null
      ? null
      : {
          ...judging,
          model: byAgent.model,
          handle: judgeHandle(handle),
          ...placesIn(judgeHandle(handle).root, handover.base),
        };
  const secrets = [
    ...secretsIn(handover.values),
    ...(await loginSecrets({ agent: equipped.agent, ...places, handle })),
    ...(judge === null ? [] : await loginSecrets(judge)),
  ];
  return {
    ...effective,
    run,
    agent: equipped.agent,
    environment: environments[place.type],
    handle,
    lacksSandbox: place.lacking,
    files: runFiles(join(resultsPath, run.run)),
    scenarioFile: planned.file,
    scenarioHash: planned.hash,
    ...places,
    targetEnv: target.env,
    access: equipped.access,
    provider,
    judgeAgent: judge,
    values: handover.values,
    missing: [
      ...new Set([
        ...[...target.missing, ...equipped.missing, ...(judging?.missing ?? [])],
        ...(provider === null ? [] : missingVariables(provider, handover.values)),
      ]),
    ],
    agentSettings: equipped.settings,
    cache: plan.cache && effective.scenario.cost.cache,
    prices: plan.prices,
    secrets,
    redact: await redactors(JSON.stringify(secrets), () => createRedactor({ secrets })),
  };
}

/** Where an agent judges a run: marked below the run's mark, so that it ends with the run. */
function judgeHandle(handle: EnvironmentHandle): EnvironmentHandle {
  const root = join(handle.root, 'judge');
  return { ...handle, root, workspace: join(root, 'workspace'), mark: `${handle.mark}/judge` };
}

/** The private folders of a run below its root. */
export function placesIn(root: string, base: Record<string, string>): Places {
  const [home, config] = [join(root, 'home'), join(root, 'config')];
  const [temporary, binaries] = [join(root, 'tmp'), join(root, 'bin')];
  return {
    ...{ home, config, temporary, binaries },
    baseEnv: {
      ...base,
      PATH: `${binaries}:${base['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'}`,
      HOME: home,
      TMPDIR: temporary,
    },
  };
}

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
