import { dirname, join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import type { Agent, ModelAccess } from '#agents';
import {
  environmentAddresses,
  type Environment,
  type EnvironmentHandle,
  environments,
  keepAccess,
  type Place,
  readRecord,
  sharesHost,
} from '#environments';
import {
  addressVariables,
  knownProviders,
  type ModelProvider,
  type PublicValues,
  remembered,
  restoreAccess,
  secretsIn,
} from '#host';
import { createLruCache, createRedactor, loopbackPorts, parseJudgeName } from '#lib';
import type { RunRef, TurnRef } from '#protocol';
import {
  type EffectiveScenario,
  firstAgentStep,
  modelAsked,
  type Plan,
  publicNames,
  scenarioOf,
  TARGET_PROGRAM,
} from '#scenario';
import {
  checksFolder,
  fixtureFolder,
  isBucket,
  originOf,
  type ProviderLimits,
  runFiles,
  type RunFiles,
  sharedProjectOf,
  stateOfRun,
} from '#store';
import {
  accountOfProvider,
  resolveAgent,
  resolveEnv,
  type ResolvedAgent,
} from '../credentials/resolve-agent.js';
import { loginSecrets } from '../credentials/login-files.js';
import type { Deps } from './deps.js';
import {
  baseIn,
  handleOf,
  judgeHandle,
  pathsIn,
  stateOfJudge,
  type AgentInPlace,
  type RunPaths,
} from './run-paths.js';
import { databasesOfRun, type DatabasesOfRun } from './databases-of-run.js';
import { chooseMockPort, mockServerOf, mockServerPort, type MockServer } from './mock-server.js';
import { mcpAddresses } from './mcp-connection.js';
import { noteReason } from './open-runs.js';
import { seenSecrets } from './seen-secrets.js';
import { settledEnvironment } from './settled-environment.js';
import { checkName, readPlan, readScenario } from './load-plan.js';
import { missingValues, valuesOfRun } from './values-of-run.js';
import { verifyRun } from './verify-origin.js';

/** Everything that a step needs to know about its run, read from the plan, the store and the sweep's variables. */
export interface RunContext extends EffectiveScenario, RunPaths {
  run: RunRef;
  /** Folder on the host in which the run records what it has done. */
  state: string;
  agent: Agent;
  /** The turn that the step performs; the first one for steps that perform none. */
  turn: TurnRef;
  environment: Environment;
  handle: EnvironmentHandle;
  place: Place;
  /** Whether everything must run in a sandbox with its own network. */
  needsSandbox: boolean;
  /** The server of mocked endpoints; null if the scenario mocks none. */
  mockServer: MockServer | null;
  files: RunFiles;
  scenarioFile: string;
  scenarioHash: string;
  /** Snapshot of the checks folder in the store; null if the scenario has none. */
  checksFolder: string | null;
  /** Path of the target on this machine; null if it is looked up on PATH or in the workspace. */
  targetPath: string | null;
  targetEnv: Record<string, string>;
  /** The run's databases on servers. */
  onServers: DatabasesOfRun;
  /** Key and address of the provider of the agent's model; null if the agent is given none. */
  access: ModelAccess | null;
  /** The account whose limits apply to the agent; null if unknown. */
  account: string | null;
  /** The same for the model that the run asks. */
  askedAccount: string | null;
  /** What is known of the limits of accounts; null if nothing is shared. */
  limits: ProviderLimits | null;
  /** The model that the judge and other parts of the run ask, as the plan names it; null if none is asked. */
  modelAsked: string | null;
  /** Provider of that model; null if none is asked by API, or if this worker does not know the provider. */
  provider: ModelProvider | null;
  /** The agent that is asked in place of a model; null if none is, or if this worker does not know it. */
  judgeAgent: AgentInPlace | null;
  /** Values of the sweep's variables, by name. Each is meant for a certain recipient; never pass on all of them. */
  values: Record<string, string>;
  /** Variables that the target, the agent or the judge needs and that have no value. */
  missing: string[];
  /** The agent's settings in the config; null for a built-in agent without any. */
  agentSettings: Plan['agents'][string] | null;
  /** Whether mocks are ignored (`--live`). */
  live: boolean;
  /** Set if the work of an earlier run is checked again. */
  regrade: {
    /** Id of that run; null if there is none. */
    run: string | null;
    /** Whether the cell is run if that is not possible. */
    orRun: boolean;
  } | null;
  /** Whether the sweep may reuse results. */
  cache: boolean;
  /** Prices in the sweep's config, by model. */
  prices: Plan['prices'];
  /** Key that signs the manifests of steps. */
  originKey: Buffer;
  /** Whether the run has a proof of its origin. If so, results of its steps count only if they are signed. */
  proven: boolean;
  /** Notes why the run waits for a model that it asks, for those who follow it; null: it no longer waits. */
  noteReason: (reason: string | null) => void;
  secrets: string[];
  redact: (text: string) => string;
}

/** Most runs of a sweep have the same secrets, and creating a redactor takes long. */
const redactors = remembered(() => createLruCache<(text: string) => string>(8));

/** Most runs of a sweep share these names, and a large sweep has thousands of them. */
const names = remembered(() => createLruCache<ReturnType<typeof publicNames>>(8));

/**
 * Loads what a step needs to know about its run.
 * @throws ApplicationFailure (non-retryable) if the store is damaged, the command line did not start the run, or this
 * worker does not know the agent
 */
export async function loadRun(
  deps: Deps,
  run: RunRef,
  { decidePlace = false, turn }: { decidePlace?: boolean; turn?: TurnRef } = {},
): Promise<RunContext> {
  const { resultsPath, stateFolder } = deps;
  checkName(run.run);
  const { plan, planHash } = await readPlan(resultsPath, run.sweep);
  const { proven } = await verifyRun(deps, run, planHash);
  const planned = scenarioOf(plan, run.cell);
  if (planned === undefined) {
    throw ApplicationFailure.nonRetryable(
      `the plan of ${run.sweep} does not contain scenario ${run.cell.scenario}, variant ${run.cell.variant}`,
      'StoreBroken',
    );
  }
  const { effective, unchanged } = await readScenario(resultsPath, planned.hash);
  if (proven && !unchanged) {
    throw ApplicationFailure.nonRetryable(
      `scenario.json of ${run.cell.scenario} in the store was changed since it was planned`,
      'StoreBroken',
    );
  }
  const asked = modelAsked(effective);
  const judgeName = parseJudgeName(asked ?? '');
  const byAgent = judgeName.ok && judgeName.by === 'agent' ? judgeName : null;
  const provider =
    judgeName.ok && judgeName.by === 'api'
      ? (knownProviders(plan.providers).get(judgeName.provider) ?? null)
      : null;
  const sweepEnv = await valuesOfRun(deps, plan, run.cell, effective);
  const target = resolveEnv(effective.target?.env ?? {}, sweepEnv.values);
  const resolved = resolveAgent(plan, run.cell, sweepEnv.values);
  if (resolved === null) {
    throw ApplicationFailure.nonRetryable(
      `this worker does not know the agent ${run.cell.agent}`,
      'UnknownAgent',
    );
  }
  const judging = byAgent === null ? null : resolveAgent(plan, byAgent, sweepEnv.values);
  const state = stateOfRun(stateFolder, run.run);
  // An agent without a sandbox may have removed our permissions.
  restoreAccess(state);
  const place = await settledEnvironment(state, effective.scenario.environment, decidePlace, [
    plan.project,
    dirname(resultsPath),
  ]);
  const { required, allow_loopback } = plan.sandbox ?? { required: false, allow_loopback: [] };
  const onServers = databasesOfRun(effective.scenario, state, sweepEnv.values);
  const addresses = [...Object.values(onServers.env), ...mcpAddresses(effective.subject, sweepEnv.values)];
  const mockServer = mockServerOf(state, run, effective.scenario);
  if (mockServer !== null && decidePlace) await chooseMockPort(mockServer);
  const mockPort = mockServer === null ? null : mockServerPort(mockServer);
  const networkFor = (
    { access, settings }: ResolvedAgent,
    servers: readonly string[] = [],
    more: readonly number[] = [],
  ): Pick<EnvironmentHandle, 'network'> =>
    place.network === 'shared' || !sharesHost(place)
      ? {}
      : {
          network: {
            ports: [
              ...allow_loopback,
              ...more,
              ...[access?.baseUrl ?? null, ...Object.values(settings?.env ?? {}), ...servers].flatMap(
                loopbackPorts,
              ),
            ],
          },
        };
  const handle: EnvironmentHandle = {
    ...handleOf(state, place, {
      // The state of all engines: that of this one may be next to others.
      hidden: [
        ...[dirname(stateFolder), resultsPath, ...(await sharedFolderOf(resultsPath))],
        ...[...(deps.hidden ?? []), ...plan.hidden],
      ],
      project: plan.project,
    }),
    ...networkFor(resolved, addresses, mockPort === null ? [] : [mockPort]),
  };
  if (handle.sandbox !== undefined) await keepAccess(handle.sandbox, sweepEnv.values);
  const base = baseIn(handle, sweepEnv.base, place.container?.path ?? (await readRecord(handle))?.path);
  const places = pathsIn(handle.root, { ...base, ...onServers.env });
  const environment = environments[place.type];
  const regrade =
    plan.regrade === undefined
      ? null
      : { run: plan.regrade.runs[run.cell.id] ?? null, orRun: plan.regrade.or_run };
  const judge =
    judging === null || byAgent === null
      ? null
      : {
          ...judging,
          model: byAgent.model,
          state: stateOfJudge(state),
          handle: { ...judgeHandle(handle), ...networkFor(judging) },
          ...pathsIn(judgeHandle(handle).root, base),
        };
  const known: PublicValues = {
    names: await names()(`${planHash} ${planned.hash}`, () => publicNames(plan, [effective])),
    addresses: new Set([...addressVariables(plan.providers), ...environmentAddresses]),
    fixtures: [fixtureFolder(resultsPath, effective.fixture)],
  };
  const ofValues = secretsIn(sweepEnv.values, known);
  const secrets = [
    // Values passed by a command are remembered by it; those of the worker may be others in each step.
    ...(sweepEnv.isPassed ? [...ofValues, ...(sweepEnv.replaced ?? [])] : await seenSecrets(state, ofValues)),
    ...onServers.secrets,
    ...(await loginSecrets(environment, { agent: resolved.agent, ...places, handle, state })),
    ...(judge === null ? [] : await loginSecrets(environment, judge)),
  ];
  return {
    ...effective,
    run,
    state,
    agent: resolved.agent,
    turn: turn ?? { number: 1, at: firstAgentStep(effective.scenario) },
    environment,
    handle,
    place,
    needsSandbox: required,
    mockServer,
    files: runFiles(join(resultsPath, run.run)),
    scenarioFile: planned.file,
    scenarioHash: planned.hash,
    checksFolder: effective.checks === undefined ? null : checksFolder(resultsPath, effective.checks),
    ...places,
    targetPath: targetPathOf(resultsPath, effective),
    targetEnv: target.env,
    onServers,
    access: resolved.access,
    account: resolved.account,
    askedAccount:
      judgeName.ok && provider !== null && judgeName.by === 'api'
        ? accountOfProvider(judgeName.provider, provider, sweepEnv.values)
        : (judging?.account ?? null),
    limits: deps.providerLimits ?? null,
    modelAsked: asked,
    provider,
    judgeAgent: judge,
    values: sweepEnv.values,
    missing: missingValues(plan, run.cell, effective, sweepEnv.values),
    agentSettings: resolved.settings,
    live: plan.live === true,
    regrade,
    cache: plan.cache && effective.scenario.cost.cache,
    prices: plan.prices,
    originKey: (await originOf(deps)).key,
    proven,
    noteReason: (reason) => {
      noteReason(deps, run, reason);
    },
    secrets,
    redact: await redactors()(JSON.stringify(secrets), () => createRedactor({ secrets })),
  };
}

/** The host of a run may not have the file that the command line found. */
export const targetPathOf = (
  resultsPath: string,
  { target_path, target_stored }: Pick<EffectiveScenario, 'target_path' | 'target_stored'>,
): string | null =>
  target_stored === undefined ? target_path : join(fixtureFolder(resultsPath, target_stored), TARGET_PROGRAM);

/** The folder that several hosts share: it has the key of the team, and the work of other runs. */
async function sharedFolderOf(resultsPath: string): Promise<string[]> {
  const location = (await sharedProjectOf(resultsPath))?.location ?? null;
  return location === null || isBucket(location) ? [] : [location];
}
