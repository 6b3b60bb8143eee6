import { engineStatus, stopEngine } from '../platform/engine/ensure-engine.js';
import { keep } from '../platform/engine/keeper.js';
import type { EngineState } from '../platform/engine/engine-state.js';
import { isAlive, type ProcessIdentity } from '../platform/process-identity.js';
import { givenTemporal } from '../platform/temporal-client.js';
import { printJson, say } from './output.js';
import { openProject } from './project.js';
import { openSession } from './session.js';

export interface EngineOptions {
  json: boolean;
  results?: string;
  address?: string;
  stay?: boolean;
}

const IDLE_SECS = 15 * 60;

/** `engine keep`: the keeper itself; started by commands, not by people. */
export async function engineKeep({ results, address, stay }: EngineOptions): Promise<number> {
  const idleSecs = Number(process.env['LLM_TOOL_TEST_IDLE_SECS'] ?? IDLE_SECS);
  const external = givenTemporal(address);
  await keep({
    resultsPath: openProject(results).resultsPath,
    external,
    idleMs: stay === true ? null : idleSecs * 1000,
  });
  return 0;
}

export async function engineStart({ json, results, address, stay }: EngineOptions): Promise<number> {
  const { resultsPath } = openProject(results);
  const session = await openSession(resultsPath, {
    ...(address === undefined ? {} : { address }),
    stay: stay === true,
  });
  await session.close();
  return engineShow({ json, resultsPath });
}

export async function engineStop({ json, results }: EngineOptions): Promise<number> {
  const { resultsPath } = openProject(results);
  const stopped = await stopEngine(resultsPath);
  if (json) printJson({ stopped });
  else
    say(
      stopped
        ? 'the engine has stopped; open sweeps go on when it is started again'
        : 'the engine is not running',
    );
  return 0;
}

export const engineShowStatus = ({ json, results }: EngineOptions): Promise<number> =>
  engineShow({ json, resultsPath: openProject(results).resultsPath });

async function engineShow({ json, resultsPath }: { json: boolean; resultsPath: string }): Promise<number> {
  const state = await engineStatus(resultsPath);
  const part = (
    identity: ProcessIdentity | null | undefined,
    external = false,
  ): { pid: number | null; state: string } =>
    external
      ? { pid: null, state: 'external' }
      : identity !== null && identity !== undefined && isAlive(identity)
        ? { pid: identity.pid, state: 'running' }
        : { pid: null, state: 'stopped' };
  const status = {
    address: state?.address ?? null,
    ui_url: state?.uiUrl ?? null,
    versions: state?.versions ?? null,
    keeper: part(state?.keeper),
    server: part(state?.server, state?.external),
    worker: part(state?.worker),
  };
  if (json) printJson(status);
  else process.stdout.write(`${describe(status, state)}\n`);
  return 0;
}

function describe(
  {
    address,
    ui_url,
    keeper,
    server,
    worker,
  }: { address: string | null; ui_url: string | null; keeper: Part; server: Part; worker: Part },
  state: EngineState | null,
): string {
  const line = (name: string, part: Part): string =>
    `${name.padEnd(8)}${part.state}${part.pid === null ? '' : ` (pid ${part.pid})`}`;
  const phase =
    keeper.pid === null
      ? []
      : [`${'phase'.padEnd(8)}${state?.phase ?? ''} ${state?.message ?? ''}`.trimEnd()];
  return [
    ...phase,
    line('keeper', keeper),
    `${line('server', server)}${address === null || address === '' ? '' : `  ${address}`}${ui_url === null ? '' : `  ${ui_url}`}`,
    line('worker', worker),
  ].join('\n');
}

interface Part {
  pid: number | null;
  state: string;
}
