import { type EngineState, readEngineState, scheduledHere, stopEngine } from '#engine';
import { isAlive, ownCommand, type ProcessIdentity, projectState } from '#host';
import { defined, InfrastructureError, limitsOf } from '#lib';
import { openProject } from '#planning';
import { printJson, printNotice } from './shared/output.js';

interface EngineResults {
  results?: string;
}

interface EngineStatusOptions extends EngineResults {
  json: boolean;
}

export interface EngineStartOptions extends EngineResults {
  address?: string;
  /** Keep running even if idle. */
  stay: boolean;
}

export async function engineStart({
  json,
  results,
  address,
  stay,
}: EngineStartOptions & EngineStatusOptions): Promise<number> {
  const { resultsPath } = openProject(results);
  const { openSession } = await import('./shared/session.js');
  const session = await openSession(resultsPath, printNotice, {
    ...defined({ address }),
    stay,
  });
  await session.close();
  return showStatus(resultsPath, json);
}

export async function engineStop({ json, results }: EngineStatusOptions): Promise<number> {
  const { folder } = projectState(openProject(results).resultsPath);
  const stop = await stopEngine(folder, limitsOf(process.env));
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
      stopped ? 'the engine has stopped; open sweeps continue when it is started again' : 'the engine is not running',
    );
  return 0;
}

export const engineShowStatus = ({ json, results }: EngineStatusOptions): Promise<number> =>
  showStatus(openProject(results).resultsPath, json);

/** The results folder that a command was given, or that of the project. */
export const resultsOf = (results?: string): string => openProject(results).resultsPath;

export const engineState = (resultsPath: string): Promise<EngineState | null> =>
  readEngineState(projectState(resultsPath).folder);

/** One of the engine's processes, checked against the process table. */
interface Part {
  pid: number | null;
  state: 'running' | 'stopped' | 'external';
}

const partOf = (identity: ProcessIdentity | null | undefined): Part =>
  identity != null && isAlive(identity) ? { pid: identity.pid, state: 'running' } : { pid: null, state: 'stopped' };

async function showStatus(resultsPath: string, json: boolean): Promise<number> {
  const state = await engineState(resultsPath);
  const server = state?.external === true ? { pid: null, state: 'external' as const } : partOf(state?.server);
  // `stop`, and `status` of an engine that is stopped, need not load Temporal's client
  const away =
    state === null || server.state === 'stopped' ? null : await (await import('./shared/session.js')).awayReason(state);
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
