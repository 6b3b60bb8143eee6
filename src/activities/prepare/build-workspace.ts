import { existsSync, realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { adapterNames } from '../../agents/index.js';
import { describeEnd } from '../../lib/command-result.js';
import { sharesHost, type Contents } from '../../environments/environment.js';
import { beginningOf } from '../../lib/format/truncate.js';
import { SCRIPTS_FOLDER } from '../../agent-scripts/script-name.js';
import { findDeno } from '../../platform/process/find-deno.js';
import { findExecutable, findFile } from '../../platform/process/find-executable.js';
import { knownProviders } from '../../platform/models/model-providers.js';
import type { CommandRecord } from '../../results/records/run-record.js';
import { fixtureFolder } from '../../store/results-folder.js';
import { agentVersion, planLaunch } from '../agent/launch.js';
import { toRecord } from '../step/command-record.js';
import type { Fence } from '../step/fence.js';
import { whyNotLoggedIn } from '../credentials/login-files.js';
import type { Deps } from '../step/deps.js';
import { findProgram } from '../step/find-program.js';
import { execWithRoom } from '../step/room.js';
import type { RunContext } from '../step/run-context.js';

/** Long enough for an installation; a setup command that hangs must not hang the sweep. */
const SETUP_SECS = 600;
const HEALTH_SECS = 30;
const UNFIT_LIMIT = 500;

export interface Prepared {
  setup: CommandRecord[];
  health_check: CommandRecord | null;
  /** What the agent says of its version; null where it says nothing. */
  agent_version?: string | null;
  /** Path of the target binary as the agent finds it; null when it finds none. */
  resolved: string | null;
  /** Why the agent cannot be started; null when it can. */
  unfit: string | null;
  warnings: string[];
  /** Names the content of all that the target is known to consist of. */
  target_fingerprint?: string | null;
  /** That fingerprint is of all its files; absent where an older build took that of its program alone. */
  target_whole?: true;
  /** Names everything that the result depends on (cache-key.ts). */
  cache_key?: string | null;
  /** Id of a finished run with that key, which is taken in place of a new one. */
  reuse?: string | null;
}

/** How long it may take to build a workspace: its commands have limits of their own. */
export const buildSecs = ({ scenario, target }: Pick<RunContext, 'scenario' | 'target'>): number =>
  scenario.inputs.commands.length * SETUP_SECS + (target.health_check === undefined ? 0 : HEALTH_SECS);

/** Makes the workspace anew: the fixture, setup files and commands, the target on PATH, the health check. */
export async function buildWorkspace(
  deps: Deps,
  context: RunContext,
  fence: Fence,
  signal: AbortSignal,
): Promise<Prepared> {
  const { environment, handle, scenario, target, targetEnv, baseEnv } = context;
  const unfit = whyUnfit(context);
  if (unfit !== null)
    return { setup: [], health_check: null, agent_version: null, resolved: null, unfit, warnings: [] };
  const fixture = fixtureFolder(deps.resultsPath, context.fixture);
  const { files } = scenario.inputs;
  const programs = { ...linkedTarget(context), ...(await linkedDeno(context, fixture)) };
  await environment.prepare(handle, { fixture, files, programs }, fence.check);

  const env = { ...baseEnv, ...targetEnv };
  const setup: CommandRecord[] = [];
  const warnings: string[] = [];
  for (const command of scenario.inputs.commands) {
    await fence.check();
    const result = await execWithRoom(context, {
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
    if ((await environment.look(handle, '.')).kind !== 'directory') {
      const reason = `the setup command removed the workspace: ${context.redact(command)}`;
      const unfit = beginningOf(reason, UNFIT_LIMIT);
      return { setup, health_check: null, agent_version: null, resolved: null, unfit, warnings };
    }
  }

  const resolved = await resolveTarget(context);
  const { env: agentEnv, program } = await planLaunch(context);
  const agent_version = program === null ? null : await agentVersion(context, agentEnv);
  const prepared = { setup, health_check: null, agent_version, resolved, warnings };
  if (resolved === null) {
    return {
      ...prepared,
      unfit: context.redact(await whyNoTarget(context)),
    };
  }
  if (target.health_check === undefined) return { ...prepared, unfit: null };
  const request = {
    command: target.health_check,
    env,
    timeoutSecs: HEALTH_SECS,
    keepBackground: true,
    signal,
  };
  const health = await execWithRoom(context, request);
  const reason = health.stderr.trim().split('\n').at(-1) ?? '';
  return {
    ...prepared,
    health_check: toRecord(context, target.health_check, health),
    unfit:
      health.exitCode === 0
        ? null
        : // It crosses Temporal.
          beginningOf(
            context.redact(
              `health check failed (${describeEnd(health, HEALTH_SECS)}): ${target.health_check}${reason === '' ? '' : `: ${reason}`}`,
            ),
            UNFIT_LIMIT,
          ),
  };
}

/** What the user has to see to before anything can be set up; null when nothing is amiss. */
function whyUnfit(context: RunContext): string | null {
  const { missing, place, needsSandbox, scenario, target_path } = context;
  if (missing.length > 0) {
    const names = missing.map((name) => `\${${name}}`).join(', ');
    return `not set: ${names}; export it in the shell of the run, or use --env-file${orLogin(context)}`;
  }
  if (place.lacking !== null && scenario.environment.type !== 'auto')
    return `environment.type ${place.type}: ${place.lacking}`;
  if (place.container !== undefined && target_path !== null)
    return `the target ${target_path} is not in the container: use one of the image or of the fixture`;
  if (needsSandbox && place.network !== 'isolated')
    return `require_sandbox: ${place.lacking ?? place.lacksNetwork ?? `environment.type ${place.type} has no sandbox`}`;
  return whyNotLoggedIn(context);
}

/** Where the key of a built-in agent is missing: its user's login is asked for in the config, and never just taken. */
const orLogin = ({ agent, access, run }: RunContext): string =>
  adapterNames.includes(agent.name) &&
  access?.key === null &&
  agent.login === null &&
  knownProviders({}).has(agent.provider(run.cell.model) ?? '')
    ? // Not as the file has it: redaction would take it for a secret.
      `, or set auth to "login" in [agents.${agent.name}] in llm-tool-test-config.toml if you have logged in`
    : '';

/** A target given by path is reached by its name, through a private folder that comes first on PATH. */
function linkedTarget({ target, target_path, handle }: RunContext): Contents['programs'] {
  const path = target_path ?? (target.binary.includes('/') ? join(handle.workspace, target.binary) : null);
  return path === null ? {} : { [basename(target.binary)]: path };
}

/** Deno from npm is on nobody's PATH: agent scripts of the workspace and their agents find it like the target. */
async function linkedDeno(context: RunContext, fixture: string): Promise<Contents['programs']> {
  const hasScripts =
    ['', 'initial-state'].some((folder) => existsSync(join(fixture, folder, SCRIPTS_FOLDER))) ||
    Object.keys(context.scenario.inputs.files).some((path) => path.startsWith(`${SCRIPTS_FOLDER}/`));
  // An earlier attempt may have linked it, in a folder that is made anew.
  const others = pathOf(context)
    .split(delimiter)
    .filter((folder) => folder !== context.binaries);
  if (
    !sharesHost(context.handle) ||
    !hasScripts ||
    (await findExecutable('deno', others.join(delimiter))) !== null
  )
    return {};
  const deno = await findDeno(context.handle.project);
  return deno === null ? {} : { deno };
}

const pathOf = ({ baseEnv, targetEnv }: RunContext): string => targetEnv['PATH'] ?? baseEnv['PATH'] ?? '';

async function whyNoTarget(context: RunContext): Promise<string> {
  const { binary } = context.target;
  if (!sharesHost(context.handle))
    return `target binary '${binary}' was not found in the workspace or on the PATH of the image`;
  const file = await findFile(basename(binary), pathOf(context));
  return file === null
    ? `target binary '${binary}' was not found on PATH; install it or give its path`
    : `target binary '${binary}' is not executable: ${await realpath(file)}; chmod +x it`;
}

async function resolveTarget(context: RunContext): Promise<string | null> {
  const found = await findProgram(context, basename(context.target.binary), pathOf(context));
  // Not our link to it, which is gone with the run.
  return found === null || !sharesHost(context.handle) ? found : realpathSync.native(found);
}
