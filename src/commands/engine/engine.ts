import { readEngineState, scheduledHere, type EngineState } from '../../platform/engine/engine-state.js';
import { stopEngine } from '../../platform/engine/ensure-engine.js';
import { projectState } from '../../platform/folders.js';
import { ignoreOutputErrors } from '../../platform/process/ignore-output-errors.js';
import { resolveTemporalAddress } from '../../platform/temporal/resolve-temporal-address.js';
import { isAlive, type ProcessIdentity } from '../../platform/process/process-identity.js';
import { printJson, printNotice } from '../shared/output.js';
import { ownCommand } from '../../platform/invocation.js';
import { openProject } from '../../planning/project.js';
import { limitsOf } from '../../lib/limits.js';
import { InfrastructureError } from '../../lib/errors/usage-error.js';

interface Where {
  results?: string;
}

interface Asked extends Where {
  json: boolean;
}

interface Started extends Where {
  address?: string;
  /** Keep running even if idle. */
  stay: boolean;
}

const IDLE_SECS = 15 * 60;
const ANSWER_MS = 2000;

/** `engine keep`: runs the keeper in the foreground. Started by commands, containers and service managers. */
export async function engineKeep({ results, address, stay }: Started): Promise<number> {
  const idleSecs = Number(process.env['LLM_TOOL_TEST_IDLE_SECS'] ?? IDLE_SECS);
  const { resultsPath } = openProject(results);
  const external = resolveTemporalAddress(address);
  // imported here, so that `status` and `stop` do not have to load Temporal's client
  const { keep } = await import('../../platform/engine/keeper.js');
  ignoreOutputErrors();
  await keep({ resultsPath, external, idleMs: stay ? null : idleSecs * 1000, limits: limitsOf(process.env) });
  // a command that waits for the engine reads the error from its state, but a service manager only sees the output
  const state = await engineState(resultsPath);
  if (state?.phase !== 'failed' || state.keeper.pid !== process.pid) return 0;
  printNotice(`error: ${state.message}`);
  return 3;
}

export async function engineStart({ json, results, address, stay }: Started & Asked): Promise<number> {
  const { resultsPath } = openProject(results);
  const { openSession } = await import('../../client/session.js');
  const session = await openSession(resultsPath, printNotice, {
    ...(address === undefined ? {} : { address }),
    stay,
  });
  await session.close();
  return showStatus(resultsPath, json);
}

export async function engineStop({ json, results }: Asked): Promise<number> {
  const { folder } = projectState(openProject(results).resultsPath);
  const stop = await stopEngine(folder);
  if (stop.status === 'ending') {
    const { pid } = stop.process;
    throw new InfrastructureError(
      `the engine is still stopping (pid ${pid}); run ${ownCommand('engine stop')} again, if necessary after \`kill -KILL ${pid}\``,
    );
  }
  const stopped = stop.status === 'stopped';
  const schedules = scheduledHere(folder);
  if (schedules.length > 0)
    printNotice(`warning: schedules do not fire until the engine is started again: ${schedules.join(', ')}`);
  if (json) printJson({ stopped });
  else
    printNotice(
      stopped
        ? 'the engine has stopped; open sweeps continue when it is started again'
        : 'the engine is not running',
    );
  return 0;
}

export const engineShowStatus = ({ json, results }: Asked): Promise<number> =>
  showStatus(openProject(results).resultsPath, json);

const engineState = (resultsPath: string): Promise<EngineState | null> =>
  readEngineState(projectState(resultsPath).folder);

/** One of the engine's processes, checked against the process table. */
interface Part {
  pid: number | null;
  state: 'running' | 'stopped' | 'external';
}

const partOf = (identity: ProcessIdentity | null | undefined): Part =>
  identity != null && isAlive(identity)
    ? { pid: identity.pid, state: 'running' }
    : { pid: null, state: 'stopped' };

async function showStatus(resultsPath: string, json: boolean): Promise<number> {
  const state = await engineState(resultsPath);
  const server = state?.external === true ? { pid: null, state: 'external' as const } : partOf(state?.server);
  const away = state === null || server.state === 'stopped' ? null : await whyAway(state);
  const status = {
    address: state?.address ?? null,
    ui_url: state?.uiUrl ?? null,
    versions: state?.versions ?? null,
    keeper: partOf(state?.keeper),
    server,
    server_answers: server.state === 'stopped' ? null : away === null,
    worker: partOf(state?.worker),
  };
  if (away !== null) printNotice(`warning: ${away}`);
  if (json) printJson(status);
  else process.stdout.write(`${describe(status, state)}\n`);
  return 0;
}

/** Why the server does not answer, and what to do about it. Null if it answers. */
async function whyAway(state: EngineState): Promise<string | null> {
  const { withClient } = await import('../../platform/temporal/temporal-client.js');
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    await withClient(state, { timeoutMs: ANSWER_MS, signal }, () => Promise.resolve());
    return null;
  } catch (error) {
    const { unreachableMessage } = await import('../../client/ask-server.js');
    return unreachableMessage(state, (error as Error).message);
  }
}

function describe(
  { keeper, server, worker }: { keeper: Part; server: Part; worker: Part },
  state: EngineState | null,
): string {
  const line = (name: string, { pid, state: how }: Part, ...more: (string | null | undefined)[]): string =>
    [`${name.padEnd(8)}${how}${pid === null ? '' : ` (pid ${pid})`}`, ...more]
      .filter((text) => text != null && text !== '')
      .join('  ');
  return [
    ...(keeper.pid === null ? [] : [`phase   ${state?.phase ?? ''} ${state?.message ?? ''}`.trimEnd()]),
    line('keeper', keeper),
    line('server', server, state?.address, state?.uiUrl),
    line('worker', worker),
  ].join('\n');
}
