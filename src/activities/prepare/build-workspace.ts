import { existsSync, realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { SCRIPTS_FOLDER } from '#agent-scripts';
import { adaptersWith } from '#agents';
import {
  apartFrom,
  type Contents,
  misfitReason,
  PACKED_BIN,
  requiresSandbox,
  sharesHost,
  tryScript,
} from '#environments';
import { findDeno, findExecutable, findFile, knownProviders } from '#host';
import { beginningOf, describeEnd } from '#lib';
import { type CommandRecord, STEPS } from '#model';
import type { KeptSteps, RunRef } from '#protocol';
import { type EffectiveScenario, findAgentStep, type Target } from '#scenario';
import { fixtureFolder } from '#store';
import { agentVersion, planLaunch } from '../agent/launch.js';
import { databaseAt, makeDatabases } from '../databases/make-databases.js';
import { FILL_SECS, sqliteFiles } from '../databases/sqlite-files.js';
import { mockedCommands } from '../mocks/mocked-commands.js';
import { toRecord } from '../commands/command-record.js';
import { awaitHealth } from './await-health.js';
import type { Fence } from '../step/fence.js';
import { resolveEnv } from '../credentials/resolve-agent.js';
import { loginProblem } from '../credentials/login-files.js';
import type { Deps } from '../step/deps.js';
import { findProgram } from '../commands/find-program.js';
import { execWithSpace } from '../step/disk-space.js';
import { missingValues } from '../run/values-of-run.js';
import { withPathInside } from '../run/run-paths.js';
import { withMocks } from '../run/mock-server.js';
import type { LoadedRun, RunAccess, RunIdentity, RunPlaces, RunSecrets } from '../run/context.js';

/** Long enough for an installation; a setup command that hangs must not block the sweep. */
const SETUP_SECS = 600;
const HEALTH_SECS = 30;
const MAX_REASON_LENGTH = 500;

export interface Prepared {
  setup: CommandRecord[];
  health_check: CommandRecord | null;
  /** The agent's version as it prints it; null if it prints none. */
  agent_version?: string | null;
  /** Path of the target binary as the agent finds it; null if it finds none. */
  resolved: string | null;
  /** The reason why the agent cannot be started; null if it can. */
  unfit: string | null;
  warnings: string[];
  /** Hash of all files that the target is known to consist of; absent if the agent cannot be started. */
  target_fingerprint?: string | null;
  /** Hash of everything that the result depends on (cache-key.ts). */
  cache_key?: string | null;
  /** Hash of what the agent's work depends on, without the checks. */
  agent_key?: string | null;
  /** Id of a finished run with that key, whose result is used instead of a new run. */
  reuse?: string | null;
  /** Runs of other sweeps without a result, in whose place the result of this one counts. */
  errors_before?: number;
  /** Set if the work of an earlier run is checked again. */
  kept?: WorkOfRun;
}

/** The work of an earlier run: what its agent did and left. */
export interface WorkOfRun extends KeptSteps {
  run: string;
}

/** The time that building a workspace may take, in seconds: the sum of the limits of its commands. */
export const buildSecs = ({ scenario, target }: Pick<RunIdentity, 'scenario' | 'target'>): number =>
  scenario.inputs.commands.length * SETUP_SECS +
  (scenario.databases?.length ?? 0) * FILL_SECS +
  (target?.health_check === undefined ? 0 : HEALTH_SECS);

/** Builds a fresh workspace: the fixture, setup files, databases and commands, the target on PATH, the health check. */
export async function buildWorkspace(
  deps: Deps,
  given: LoadedRun & RunAccess,
  fence: Fence,
  signal: AbortSignal,
): Promise<Prepared> {
  const { environment, handle, scenario, target, targetEnv } = given;
  const unfit = readinessProblem(given);
  if (unfit !== null) return cannotBeBuilt(unfit);
  const fixture = fixtureFolder(deps.resultsPath, given.fixture);
  const { files } = scenario.inputs;
  const sqlite = await sqliteFiles(scenario, fixture, signal);
  if (!sqlite.ok) return cannotBeBuilt(unfitText(given, `${databaseAt(given, sqlite.index)}.sql: ${sqlite.problem}`));
  const taskEnv = resolveEnv(scenario.task?.env ?? {}, given.values).env;
  const contents = { ...placedPrograms(given, fixture), fixture, files, data: sqlite.files, env: taskEnv };
  await environment.prepare(handle, contents, () => fence.check(signal));
  const unhealthy = await awaitHealth(given, scenario.task?.healthcheck, signal);
  if (unhealthy !== null) return cannotBeBuilt(unfitText(given, unhealthy));
  const problem = await makeDatabases(given, fence, signal);
  if (problem !== null) return cannotBeBuilt(unfitText(given, problem));

  const context = await withPathInside(given);
  const envOfStep = () => withMocks(context, STEPS.prepare, { ...context.baseEnv, ...targetEnv });
  const env = await envOfStep();
  const setup: CommandRecord[] = [];
  const warnings: string[] = [];
  for (const command of scenario.inputs.commands) {
    await fence.check();
    const result = await execWithSpace(context, {
      command,
      env,
      timeoutSecs: SETUP_SECS,
      keepBackground: true,
      signal,
    });
    setup.push(toRecord(context, command, result));
    if (result.exitCode !== 0) {
      warnings.push(`setup command failed (${describeEnd(result, SETUP_SECS)}): ${context.redact(command)}`);
    }
    if ((await environment.lookInside(handle, '.')).kind !== 'directory') {
      const reason = `the setup command removed the workspace: ${context.redact(command)}`;
      const unfit = beginningOf(reason, MAX_REASON_LENGTH);
      return { setup, health_check: null, agent_version: null, resolved: null, unfit, warnings };
    }
  }

  const misfit = await misfitOfAgent(context, signal);
  if (misfit !== null) return { ...cannotBeBuilt(unfitText(context, misfit)), setup, warnings };
  const resolved = await resolveTarget(context);
  const agent_version = await versionOfAgent(context);
  const prepared = { setup, health_check: null, agent_version, resolved, warnings };
  if (target !== null && resolved === null) {
    return {
      ...prepared,
      unfit: context.redact(await missingTargetMessage(context, target)),
    };
  }
  if (target?.health_check === undefined) return { ...prepared, unfit: null };
  const request = {
    command: target.health_check,
    // Looking for the agent's version has named another step.
    env: await envOfStep(),
    timeoutSecs: HEALTH_SECS,
    keepBackground: true,
    signal,
  };
  const health = await execWithSpace(context, request);
  const reason = health.stderr.trim().split('\n').at(-1) ?? '';
  return {
    ...prepared,
    health_check: toRecord(context, target.health_check, health),
    unfit:
      health.exitCode === 0
        ? null
        : // Shortened because it crosses Temporal.
          beginningOf(
            context.redact(
              `health check failed (${describeEnd(health, HEALTH_SECS)}): ${target.health_check}${reason === '' ? '' : `: ${reason}`}`,
            ),
            MAX_REASON_LENGTH,
          ),
  };
}

/** The programs and scripts that come first on PATH. `workspace`: the folder that the workspace is made from. */
export function placedPrograms(context: LoadedRun, workspace: string): Pick<Contents, 'programs' | 'scripts'> {
  const mocked = mockedCommands(context);
  const programs = {
    ...linkedTarget(context),
    ...linkedDeno(context, workspace),
    ...mocked.programs,
  };
  return { ...mocked, programs };
}

/** The result of a preparation that stops before anything was set up. */
export const cannotBeBuilt = (unfit: string): Prepared => ({
  setup: [],
  health_check: null,
  agent_version: null,
  resolved: null,
  unfit,
  warnings: [],
});

/** The reason why a run is unfit, redacted. Shortened because it crosses Temporal. */
export const unfitText = ({ redact }: RunSecrets, reason: string): string =>
  beginningOf(redact(reason), MAX_REASON_LENGTH);

const START_SECS = 60;

/** The reason why this machine's agent does not start in the container into which it is mounted; null if it does. */
async function misfitOfAgent(context: LoadedRun & RunAccess, signal: AbortSignal): Promise<string | null> {
  const { environment, handle, agent, scenario } = context;
  if (handle.container?.layer === undefined || findAgentStep(scenario) === null) return null;
  const { env, program } = await planLaunch(context);
  const [command, ...args] = agent.version ?? [];
  if (program?.startsWith(`${PACKED_BIN}/`) !== true || command !== agent.program) return null;
  const { exitCode, timedOut, stderr } = await environment.exec(handle, {
    command: tryScript(program, args),
    env,
    timeoutSecs: START_SECS,
    signal,
  });
  // A container without network gets its provider only through what is mounted with the agent.
  return exitCode === 0 || timedOut ? null : `the image: ${misfitReason(program, stderr)}`;
}

async function versionOfAgent(context: LoadedRun & RunAccess): Promise<string | null> {
  if (findAgentStep(context.scenario) === null) return null;
  const { env, program } = await planLaunch(context);
  return program === null ? null : agentVersion(context, env);
}

/** The facts that decide whether a run can be set up on this machine. */
export interface Readiness
  extends
    EffectiveScenario,
    Pick<LoadedRun & RunAccess, 'plan' | 'regrade' | 'place' | 'targetPath' | 'agent' | 'values' | 'access'> {
  run: Pick<RunRef, 'cell'>;
}

/** Tells what the user must do before anything can be set up; null if nothing is wrong. */
export function readinessProblem(context: Readiness): string | null {
  const { place, plan, scenario, targetPath } = context;
  const missing = missingValues(plan, context.run.cell, context, context.values);
  if (missing.length > 0) {
    const names = missing.map((name) => `\${${name}}`).join(', ');
    return `not set: ${names}; export it in the shell of the run, or use --env-file${orLogin(context)}`;
  }
  if (place.lacking !== null && scenario.environment.type !== 'auto')
    return `environment.type ${place.type}: ${place.lacking}`;
  const apart = apartFrom(place);
  if (apart !== null && targetPath !== null)
    return `the target ${targetPath} is not in the ${apart.place}: use one of the ${apart.madeFrom} or of the fixture`;
  if (plan.sandbox.required && place.network !== 'isolated')
    return `require_sandbox: ${place.lacking ?? place.lacksNetwork ?? `environment.type ${place.type} has no sandbox`}`;
  if (requiresSandbox() && place.type === 'local')
    return `agents need a sandbox here (LLM_TOOL_TEST_REQUIRE_SANDBOX=1): ${place.lacking ?? 'set environment.type to bubblewrap or auto'}`;
  return context.regrade?.orRun === false ? null : loginProblem(context);
}

/** Hint for a built-in agent without a key: the user's login is used only if the config says so. */
const orLogin = ({ agent, access, run }: Readiness): string =>
  adaptersWith('auth').includes(agent.adapter ?? '') &&
  access?.key === null &&
  agent.login === null &&
  knownProviders({}).has(agent.provider(run.cell.model) ?? '')
    ? // Not in the syntax of the file, which redaction would take for a secret.
      `, or set auth to "login" in [agents.${agent.name}] in llm-tool-test-config.toml if you have logged in`
    : '';

/** A target given by path is reached by its base name, through a private folder that comes first on PATH. */
function linkedTarget({ target, targetPath, handle }: RunIdentity & RunPlaces): Contents['programs'] {
  if (target === null) return {};
  const path = targetPath ?? (target.binary.includes('/') ? join(handle.workspace, target.binary) : null);
  return path === null ? {} : { [basename(target.binary)]: path };
}

/**
 * Deno installed from npm is not on PATH. If the workspace has agent scripts, it is linked like the target, so that
 * they and their agents find it.
 */
function linkedDeno(context: LoadedRun, fixture: string): Contents['programs'] {
  const hasScripts =
    [fixture, join(fixture, 'initial-state'), context.checksFolder].some(
      (folder) => folder !== null && existsSync(join(folder, SCRIPTS_FOLDER)),
    ) || Object.keys(context.scenario.inputs.files).some((path) => path.startsWith(`${SCRIPTS_FOLDER}/`));
  // An earlier attempt may have linked it in the private folder, which is created again.
  const others = pathOf(context)
    .split(delimiter)
    .filter((folder) => folder !== context.binaries);
  if (!sharesHost(context.handle) || !hasScripts || findExecutable('deno', others.join(delimiter)) !== null) return {};
  const deno = findDeno(context.handle.project);
  return deno === null ? {} : { deno };
}

const pathOf = ({ baseEnv, targetEnv }: RunPlaces & RunSecrets): string => targetEnv['PATH'] ?? baseEnv['PATH'] ?? '';

export async function missingTargetMessage(context: RunPlaces & RunSecrets, { binary }: Target): Promise<string> {
  const apart = apartFrom(context.place);
  if (apart !== null)
    return `target binary '${binary}' was not found in the workspace or on the PATH of the ${apart.madeFrom}`;
  const file = await findFile(basename(binary), pathOf(context));
  return file === null
    ? `target binary '${binary}' was not found on PATH; install it or give its path`
    : `target binary '${binary}' is not executable: ${await realpath(file)}; chmod +x it`;
}

export async function resolveTarget(context: LoadedRun): Promise<string | null> {
  if (context.target === null) return null;
  const found = await findProgram(context, basename(context.target.binary), pathOf(context));
  // The real path, not our link to it, which is removed with the run.
  return found === null || !sharesHost(context.handle) ? found : realpathSync.native(found);
}
