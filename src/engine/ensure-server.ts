import { cacheHome, type Lock, waitForLock, waitUntil, isExecutable } from '#host';
import { InfrastructureError } from '#lib';
import { connectionProblem, UnusableNamespace } from './temporal/connection-problem.js';
import { endProcess, choosePorts, LOOPBACK, startServer, readTail } from './server.js';
import { startWorker } from './ensure-worker.js';
import { type EngineContext, logFile, serverIsUp, type EngineState, databaseFile } from './engine-state.js';
import { type TemporalExecutable, findTemporal, TemporalNotFound, temporalVersion } from './find-temporal.js';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const VERSION_MS = 30_000;

/**
 * Returns the Temporal CLI for an engine: the one whose server created its database, whatever is on this shell's PATH.
 * A server of another version would create an empty database beside it, and open sweeps would start over.
 *
 * @throws TemporalNotFound
 */
export async function chooseTemporal(
  folder: string,
  { temporal, versions }: Pick<EngineState, 'temporal' | 'versions'>,
  report: (text: string) => void,
  signal?: AbortSignal,
): Promise<TemporalExecutable> {
  const version = temporal?.version ?? versions.temporal ?? newestDatabase(folder);
  if (version === null || !existsSync(databaseFile(folder, version))) return findTemporal(report, signal);
  for (const path of [process.env['LLM_TOOL_TEST_TEMPORAL_BIN'], temporal?.path]) {
    if (path === undefined || !isExecutable(path)) continue;
    if ((await versionOf(path, signal)) === version) return { path, version };
  }
  const found = await findTemporal(report, signal);
  if (found.version === version) return found;
  throw new TemporalNotFound(
    [
      `the engine's database was made by Temporal server ${version}, but ${found.path} is ${found.version}, which would create an empty one: open sweeps would start over.`,
      `Set LLM_TOOL_TEST_TEMPORAL_BIN to a Temporal CLI with server ${version};`,
      `or, if no sweep is open, delete ${databaseFile(folder, version)}`,
    ].join('\n'),
  );
}

/** null if its version command fails. */
const versionOf = (path: string, signal?: AbortSignal): Promise<string | null> =>
  temporalVersion(path, VERSION_MS, signal).catch(() => null);

/** Returns the version of the most recently written database, for an engine without state; null if there is none. */
function newestDatabase(folder: string): string | null {
  const found = readdirSync(folder).flatMap((name) => {
    const version = /^temporal-(.+)\.db$/.exec(name)?.[1];
    return version === undefined ? [] : [{ version, at: statSync(join(folder, name)).mtimeMs }];
  });
  return found.sort((a, b) => b.at - a.at)[0]?.version ?? null;
}

const START_MS = 60_000;
const POLL_MS = 20;
const CONNECT_MS = 2000;
const ANSWER_MS = 10_000;
/** An external server may be far away, and is given up if it does not answer. */
const EXTERNAL_CONNECT_MS = 5000;

/** Starts the Temporal server unless it is running, and waits until it answers. */
export async function ensureServer(engine: EngineContext): Promise<void> {
  if (engine.state().external) return serverReady(engine);
  const temporal = serverIsUp(engine.state()) ? null : await find(engine);
  const lock = await lockPorts(engine);
  try {
    if (temporal !== null) await start(engine, temporal);
    await serverReady(engine);
  } finally {
    await lock?.release();
  }
}

/**
 * Takes the lock for choosing ports. Two engines that choose at the same time would find the same port free, and one
 * would mistake the other's server for its own. Returns null if the lock is not available (a read-only cache, a frozen
 * holder), which must not keep the engine from starting.
 */
async function lockPorts({ change, signal }: EngineContext): Promise<Lock | null> {
  const message = 'waiting for another engine to start its server';
  try {
    const onWait = (): void => void change({ message }).catch(() => undefined);
    return await waitForLock(cacheHome(), 'ports', { timeoutMs: START_MS, onWait, signal });
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

async function find({ folder, state, change, signal }: EngineContext): Promise<TemporalExecutable> {
  await change({ phase: 'starting', message: 'looking for the Temporal CLI' });
  const report = (message: string): void => void change({ message }).catch(() => undefined);
  return chooseTemporal(folder, state(), report, signal);
}

async function start(engine: EngineContext, temporal: TemporalExecutable): Promise<void> {
  const { folder, state, change } = engine;
  const ports = await choosePorts(portsOf(state()));
  const address = `${LOOPBACK}:${ports.port}`;
  // Another program has taken the port in the meantime: the worker would look for the server there for ever.
  if (address !== state().address) await endProcess(state().worker);
  await change({
    message: 'starting the Temporal server',
    address,
    uiUrl: `http://${LOOPBACK}:${ports.uiPort}`,
    versions: { ...state().versions, temporal: temporal.version },
    temporal: { path: temporal.path, version: temporal.version },
  });
  await startServer(temporal, folder, ports, (server) => change({ server }));
  await startWorker(engine);
}

function portsOf(state: EngineState): { port: number; uiPort: number } {
  const port = Number(state.address.split(':').at(-1));
  const uiPort = Number(state.uiUrl?.split(':').at(-1));
  return { port: port > 0 ? port : 7233, uiPort: uiPort > 0 ? uiPort : 8233 };
}

async function serverReady({ folder, state, change, signal, limits }: EngineContext): Promise<void> {
  const { external, address } = state();
  // Temporal's client is loaded while the server starts.
  const { namespaceId, prepareNamespace, withClient } = await import('./temporal/temporal-client.js');
  const id = await waitUntil(
    async () => {
      signal.throwIfAborted();
      if (!serverIsUp(state()))
        throw new Error(`the Temporal server ended:\n${await readTail(logFile(folder, 'server'))}`);
      try {
        return await withClient(
          state(),
          external
            ? { timeoutMs: EXTERNAL_CONNECT_MS, answerMs: limits.serverAwayMs, signal }
            : { timeoutMs: CONNECT_MS, answerMs: ANSWER_MS, signal },
          async (client) => {
            await prepareNamespace(client, external);
            return namespaceId(client);
          },
        );
      } catch (error) {
        if (error instanceof UnusableNamespace || error instanceof InfrastructureError) throw error;
        const problem = external ? connectionProblem(error) : null;
        if (problem !== null) throw new Error(`the Temporal server ${address}: ${problem}`);
        if (external)
          throw new Error(
            `the Temporal server ${address} does not answer (${(error as Error).message}); check that it is running and reachable, and try again`,
          );
        return null;
      }
    },
    START_MS,
    POLL_MS,
  );
  if (id === null) throw new Error(`the Temporal server did not answer within ${START_MS / 1000} s`);
  await change({ namespaceId: id });
}
