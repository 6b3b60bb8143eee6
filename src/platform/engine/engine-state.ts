import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessIdentity } from '../process/process-identity.js';
import { readJsonIfThere } from '../fs/read-file.js';
import { TEMPORARY, writeFileAtomic } from '../fs/write-file.js';

/** `<state>/engine.json`: what the keeper says of itself and of what it keeps. */
export interface EngineState {
  phase: 'starting' | 'ready' | 'stopping' | 'stopped' | 'failed';
  /** What is waited for, or why it failed. */
  message: string;
  /** Why server or worker could not be brought up, and since when (ms since the epoch); tried again meanwhile. */
  failing?: { message: string; since: number } | null;
  /** When the phase began, ms since the epoch. */
  since: number;
  build: string;
  /** See lib/engine-protocol.ts. Absent where an older build has written it. */
  protocol?: number;
  /** An address that was given: the server is not ours to start or stop. */
  external: boolean;
  address: string;
  namespace: string;
  /** Tells the server from others that may take its port; absent until it has answered, and for older builds. */
  namespaceId?: string | null;
  taskQueue: string;
  /** null when the Web UI's address is not known (a given server). */
  uiUrl: string | null;
  resultsPath: string;
  keeper: ProcessIdentity;
  server: ProcessIdentity | null;
  worker: ProcessIdentity | null;
  versions: { temporal: string | null; llm_tool_test: string };
  /** The Temporal CLI whose server made the database; null or absent where there is none yet. */
  temporal?: PinnedTemporal | null;
}

/** The executable and the version of its server, which the database's file is named after. */
interface PinnedTemporal {
  path: string;
  version: string;
}

const engineFile = (stateFolder: string): string => join(stateFolder, 'engine.json');

export const readEngineState = (stateFolder: string): Promise<EngineState | null> =>
  readJsonIfThere<EngineState>(engineFile(stateFolder));

export const writeEngineState = (stateFolder: string, state: EngineState): Promise<void> =>
  writeFileAtomic(engineFile(stateFolder), `${JSON.stringify(state, null, 2)}\n`, 0o600);

/** Removes what keepers left that were killed while they wrote; only for who holds the engine's lock. */
export function removeHalfWritten(stateFolder: string): void {
  for (const name of readdirSync(stateFolder)) {
    if (name.startsWith('engine.json.') && TEMPORARY.test(name))
      rmSync(join(stateFolder, name), { force: true });
  }
}

/** Touched by every command that uses the engine, so that the keeper can tell when it is idle. */
export const lastUsedFile = (stateFolder: string): string => join(stateFolder, 'last-used');

/** There while the engine is to stay, however idle: `engine start --stay` makes it, `engine stop` removes it. */
export const stayFile = (stateFolder: string): string => join(stateFolder, 'stay');

/** The server's database: a server of another version may not open it. */
export const databaseFile = (stateFolder: string, version: string): string =>
  join(stateFolder, `temporal-${version}.db`);

/** Written by the worker when it polls. */
export const workerReadyFile = (stateFolder: string): string => join(stateFolder, 'worker.json');

/** Touched by the worker every second. */
export const workerAliveFile = (stateFolder: string): string => join(stateFolder, 'worker-alive');

/** Where the worker of a project (by its id, see folders.ts) gets its tasks. */
export const taskQueueOf = (projectId: string): string => `llm-tool-test-${projectId}`;

export const logFile = (stateFolder: string, of: 'keeper' | 'server' | 'worker'): string =>
  join(stateFolder, 'logs', `${of}.log`);
