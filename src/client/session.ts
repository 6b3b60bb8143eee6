import { setTimeout as sleep } from 'node:timers/promises';
import {
  connect,
  type EngineState,
  EngineUnavailable,
  ensureEngine,
  prepareNamespace,
  type ProjectServer,
  readCodecKeys,
  readEngineState,
  resolveTemporalAddress,
  taskQueueOf,
  UnusableNamespace,
} from '#engine';
import { isAlive, isMirror, projectState } from '#host';
import { InfrastructureError, type Limits, limitsOf, UsageError } from '#lib';
import { assertOwnServer, unreachableMessage, PAUSE_MS, type ServerConnection } from './ask-server.js';

/** A connection to a running engine. */
export interface Session extends ServerConnection {
  stateFolder: string;
  limits: Limits;
  /** Shows progress and warnings to the user. */
  report: (text: string) => void;
  close(): Promise<void>;
}

interface EngineOptions {
  address?: string;
  /** Keep the engine running even if it is idle. */
  stay?: boolean;
}

/** Starts the engine if it is not running, and connects to it. @throws InfrastructureError */
export async function openSession(
  resultsPath: string,
  report: (text: string) => void,
  options: EngineOptions = {},
): Promise<Session> {
  if (isMirror(resultsPath)) return openSharedSession(resultsPath, report, options.address);
  const until = Date.now() + limitsOf(process.env).serverAwayMs;
  for (;;) {
    // in each attempt, because a server that died is restarted, perhaps on another port
    const engine = await bringUpEngine(resultsPath, report, options);
    try {
      const client = await connect(engine);
      await assertOwnServer(client, engine);
      const { folder } = projectState(resultsPath);
      return sessionWith({ client, engine }, folder, report, async () => {
        if (await isAbandoned(folder)) await bringUpEngine(resultsPath, report, options);
      });
    } catch (error) {
      if (error instanceof InfrastructureError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      if (Date.now() >= until) throw new InfrastructureError(unreachableMessage(engine, reason));
      await sleep(PAUSE_MS);
    }
  }
}

/** Connects to the engine if it is running, without starting it. Null if it is not, or its server does not answer. */
export async function joinSession(
  resultsPath: string,
  report: (text: string) => void,
): Promise<Session | null> {
  if (isMirror(resultsPath))
    return resolveTemporalAddress() === null ? null : openSharedSession(resultsPath, report);
  readCodecKeys(); // what goes wrong below is taken for a server that is away
  const { folder } = projectState(resultsPath);
  const until = Date.now() + limitsOf(process.env).serverAwayMs;
  for (;;) {
    const engine = await readEngineState(folder);
    // The keeper restarts a server that has died.
    if (engine === null || !isAlive(engine.keeper)) return null;
    try {
      const client = await connect(engine);
      try {
        await assertOwnServer(client, engine);
      } catch (error) {
        await client.connection.close();
        throw error;
      }
      return sessionWith({ client, engine }, folder, report);
    } catch {
      if (Date.now() >= until) return null;
      await sleep(PAUSE_MS);
    }
  }
}

/**
 * Connects to the server of a team, whose hosts have the workers: no engine is started.
 *
 * @throws UsageError if no server is named, InfrastructureError if it does not answer or cannot be used
 */
async function openSharedSession(
  resultsPath: string,
  report: (text: string) => void,
  flag?: string,
): Promise<Session> {
  const server = resolveTemporalAddress(flag);
  if (server === null)
    throw new UsageError(
      'no_server',
      'shared results need the Temporal server of their hosts; name it with --address <host:port>, TEMPORAL_ADDRESS or a profile in the configuration file of Temporal',
    );
  const { id, folder } = projectState(resultsPath);
  const engine: ProjectServer = { ...server, taskQueue: taskQueueOf(id), uiUrl: null, resultsPath };
  const until = Date.now() + limitsOf(process.env).serverAwayMs;
  for (;;) {
    try {
      const client = await connect(server);
      try {
        await prepareNamespace(client, true);
      } catch (error) {
        await client.connection.close();
        throw error;
      }
      return sessionWith({ client, engine }, folder, report);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof UnusableNamespace) throw new InfrastructureError(reason);
      if (Date.now() >= until) throw new InfrastructureError(unreachableMessage(engine, reason));
      await sleep(PAUSE_MS);
    }
  }
}

type Connected = Pick<Session, 'client' | 'engine'>;

/** `revive` starts the engine again if nothing else does. */
function sessionWith(
  first: Connected,
  stateFolder: string,
  report: (text: string) => void,
  revive: () => Promise<void> = () => Promise.resolve(),
): Session {
  let now = first;
  return {
    get client() {
      return now.client;
    },
    get engine() {
      return now.engine;
    },
    stateFolder,
    limits: limitsOf(process.env),
    report,
    async followServer() {
      await revive();
      const moved = await connectIfMoved(now.engine, stateFolder);
      if (moved === null) return;
      const before = now;
      now = moved;
      await before.client.connection.close();
    },
    close: () => now.client.connection.close(),
  };
}

/** True if the engine's keeper has died, and not been stopped: then nobody restarts its server. */
async function isAbandoned(stateFolder: string): Promise<boolean> {
  const engine = await readEngineState(stateFolder);
  return (
    engine !== null &&
    !engine.external &&
    engine.phase !== 'stopped' &&
    engine.phase !== 'stopping' &&
    !isAlive(engine.keeper)
  );
}

/** Connects to the engine's server if it has another address than before; null if not, or if it does not answer there yet. */
async function connectIfMoved(before: ProjectServer, stateFolder: string): Promise<Connected | null> {
  const engine = await readEngineState(stateFolder);
  if (engine === null || engine.external || engine.address === before.address) return null;
  const client = await connect(engine).catch(() => null);
  if (client === null) return null;
  try {
    await assertOwnServer(client, engine);
    return { client, engine };
  } catch {
    await client.connection.close();
    return null;
  }
}

async function bringUpEngine(
  resultsPath: string,
  report: (text: string) => void,
  options: EngineOptions,
): Promise<EngineState> {
  try {
    return await ensureEngine({
      ...options,
      resultsPath,
      limits: limitsOf(process.env),
      report: (text) => report(`engine: ${text} ...`),
    });
  } catch (error) {
    if (error instanceof EngineUnavailable) throw new InfrastructureError(error.message);
    throw error;
  }
}
