import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { EngineState } from '../platform/engine/engine-state.js';
import { ensureEngine, EngineUnavailable } from '../platform/engine/ensure-engine.js';
import { projectState } from '../platform/folders.js';
import { connect } from '../platform/temporal/temporal-client.js';
import { assertOwnServer, AWAY_MS, awayText, PAUSE_MS } from './ask-server.js';
import { InfrastructureError } from '../lib/usage-error.js';

/** A connection to a running engine. */
export interface Session {
  client: Client;
  engine: EngineState;
  stateFolder: string;
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
  const until = Date.now() + AWAY_MS;
  for (;;) {
    // in each attempt, because a server that died is restarted, perhaps on another port
    const engine = await bringUpEngine(resultsPath, report, options);
    try {
      const client = await connect(engine);
      await assertOwnServer(client, engine);
      return {
        client,
        engine,
        stateFolder: projectState(resultsPath).folder,
        report,
        close: () => client.connection.close(),
      };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (Date.now() >= until) throw new InfrastructureError(awayText(engine, reason));
      await sleep(PAUSE_MS);
    }
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
      report: (text) => report(`engine: ${text} ...`),
    });
  } catch (error) {
    if (error instanceof EngineUnavailable) throw new InfrastructureError(error.message);
    throw error;
  }
}
