import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
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
import { assertOwnServer, unreachableMessage, PAUSE_MS, type ServerConnection } from './call-server.js';

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
  const limits = limitsOf(process.env);
  if (isMirror(resultsPath)) return openSharedSession(resultsPath, report, limits, options.address);
  const { folder } = projectState(resultsPath);
  const bringUp = (): Promise<EngineState> => bringUpEngine(resultsPath, report, limits, options);
  const connected = await untilConnected(limits, async (fail) => {
    // In each attempt, because a server that died is restarted, perhaps on another port.
    const engine = await bringUp();
    return connectTo(engine, assertOwnServer).catch((error: unknown) => fail(engine, error));
  });
  return sessionWith(connected, { stateFolder: folder, report, limits }, async () => {
    if (await isAbandoned(folder)) await bringUp();
  });
}

/** Connects to the engine if it is running, without starting it. Null if it is not, or its server does not answer. */
export async function joinSession(resultsPath: string, report: (text: string) => void): Promise<Session | null> {
  const limits = limitsOf(process.env);
  if (isMirror(resultsPath))
    return resolveTemporalAddress() === null ? null : openSharedSession(resultsPath, report, limits);
  readCodecKeys(); // throws here: errors below count as a server that is away
  const { folder } = projectState(resultsPath);
  const until = Date.now() + limits.serverAwayMs;
  for (;;) {
    const engine = await readEngineState(folder);
    // The keeper restarts a server that has died.
    if (engine === null || !isAlive(engine.keeper)) return null;
    const connected = await connectTo(engine, assertOwnServer).catch(() => null);
    if (connected !== null) return sessionWith(connected, { stateFolder: folder, report, limits });
    if (Date.now() >= until) return null;
    await sleep(PAUSE_MS);
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
  limits: Limits,
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
  const connected = await untilConnected(limits, (fail) =>
    connectTo(engine, (client) => prepareNamespace(client, true)).catch((error: unknown) => {
      if (error instanceof UnusableNamespace) throw new InfrastructureError(error.message);
      return fail(engine, error instanceof Error ? error.message : error);
    }),
  );
  return sessionWith(connected, { stateFolder: folder, report, limits });
}

/** Says that an attempt has failed. Null: try again. @throws InfrastructureError if that has taken too long */
type Fail = (engine: ProjectServer, error: unknown) => null;

async function untilConnected(
  { serverAwayMs }: Limits,
  attempt: (fail: Fail) => Promise<ServerSession | null>,
): Promise<ServerSession> {
  const until = Date.now() + serverAwayMs;
  const fail: Fail = (engine, error) => {
    if (error instanceof InfrastructureError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    if (Date.now() >= until) throw new InfrastructureError(unreachableMessage(engine, reason));
    return null;
  };
  for (;;) {
    const connected = await attempt(fail);
    if (connected !== null) return connected;
    await sleep(PAUSE_MS);
  }
}

/** Connects to a server, and closes the connection again if `check` refuses it. */
async function connectTo(
  engine: ProjectServer,
  check: (client: Client, engine: ProjectServer) => Promise<unknown>,
): Promise<ServerSession> {
  const client = await connect(engine);
  try {
    await check(client, engine);
    return { client, engine };
  } catch (error) {
    await client.connection.close();
    throw error;
  }
}

type ServerSession = Pick<Session, 'client' | 'engine'>;

/** `revive` starts the engine again if nothing else does. */
function sessionWith(
  first: ServerSession,
  of: Pick<Session, 'stateFolder' | 'report' | 'limits'>,
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
    ...of,
    async followServer() {
      await revive();
      const moved = await connectIfMoved(now.engine, of.stateFolder);
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

/**
 * Connects to the engine's server if it has another address than before; null if not, or if it does not answer there
 * yet.
 */
async function connectIfMoved(before: ProjectServer, stateFolder: string): Promise<ServerSession | null> {
  const engine = await readEngineState(stateFolder);
  if (engine === null || engine.external || engine.address === before.address) return null;
  return connectTo(engine, assertOwnServer).catch(() => null);
}

async function bringUpEngine(
  resultsPath: string,
  report: (text: string) => void,
  limits: Limits,
  options: EngineOptions,
): Promise<EngineState> {
  try {
    return await ensureEngine({
      ...options,
      resultsPath,
      limits,
      report: (text) => report(`engine: ${text} ...`),
    });
  } catch (error) {
    if (error instanceof EngineUnavailable) throw new InfrastructureError(error.message);
    throw error;
  }
}
