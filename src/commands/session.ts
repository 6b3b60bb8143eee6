import type { Client } from '@temporalio/client';
import type { EngineState } from '../platform/engine/engine-state.js';
import { ensureEngine, EngineUnavailable } from '../platform/engine/ensure-engine.js';
import { projectState } from '../platform/folders.js';
import { connect } from '../platform/temporal-client.js';
import { say } from './output.js';
import { InfrastructureError } from './usage-error.js';

/** A connection to a running engine. */
export interface Session {
  client: Client;
  engine: EngineState;
  stateFolder: string;
  close(): Promise<void>;
}

/** Brings the engine up and connects to it. @throws InfrastructureError */
export async function openSession(
  resultsPath: string,
  options: { address?: string; stay?: boolean } = {},
): Promise<Session> {
  try {
    const engine = await ensureEngine({
      ...options,
      resultsPath,
      report: (text) => say(`engine: ${text} ...`),
    });
    const client = await connect(engine);
    return {
      client,
      engine,
      stateFolder: projectState(resultsPath).folder,
      close: () => client.connection.close(),
    };
  } catch (error) {
    if (error instanceof EngineUnavailable) throw new InfrastructureError(error.message);
    throw error;
  }
}
