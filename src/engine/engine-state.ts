import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity, readJsonIfThere, TEMPORARY, writeFileAtomic, packageVersion } from '#host';
import { ENGINE_PROTOCOL, type Limits } from '#lib';

/** `<state>/engine.json`: what the keeper records about itself and the processes that it keeps running. */
export interface EngineState {
  phase: 'starting' | 'ready' | 'stopping' | 'stopped' | 'failed';
  /** Describes what the keeper is waiting for, or why it failed. */
  message: string;
  /**
   * The reason why the server or the worker could not be started, and since when (ms since the epoch). The keeper tries
   * again.
   */
  failing?: { message: string; since: number } | null;
  /** When the phase began, ms since the epoch. */
  since: number;
  build: string;
  /** The highest of the builds that have used the engine; see lib/engine-protocol.ts. */
  protocol: number;
  /** True if the user gave the address of a server, which we never start or stop. */
  external: boolean;
  address: string;
  namespace: string;
  /** Distinguishes the server from others that may take its port. Absent before its first answer. */
  namespaceId?: string | null;
  taskQueue: string;
  /** The keys that the worker has for payloads (codec/codec-keys.ts); absent or empty if it encrypts none. */
  codecKeys?: string;
  /** null if the address of the Web UI is unknown (an external server). */
  uiUrl: string | null;
  resultsPath: string;
  keeper: ProcessIdentity;
  server: ProcessIdentity | null;
  worker: ProcessIdentity | null;
  versions: { temporal: string | null; llm_tool_test: string };
  /** Set if the worker is a host of shared results. */
  host?: HostSettings;
  /** The Temporal CLI whose server created the database; null or absent if there is none yet. */
  temporal?: PinnedTemporal | null;
}

/** The context of the functions that start the server and the worker. */
export interface EngineContext {
  folder: string;
  state: () => EngineState;
  /** Changes the state in memory and in its file. */
  change: (part: Partial<EngineState>) => Promise<void>;
  /** Aborted when the engine is asked to stop, which ends all waiting. */
  signal: AbortSignal;
  limits: Pick<Limits, 'serverAwayMs'>;
}

/** The facts about the server and the queue of a project that a command needs. */
export type ProjectServer = Pick<
  EngineState,
  'address' | 'external' | 'namespace' | 'namespaceId' | 'taskQueue' | 'uiUrl' | 'resultsPath'
>;

/** A user's settings for a host of shared results. */
export interface HostSettings {
  /** For people; by default the name of the machine. */
  name: string;
  /** The number of runs that it works on at once. */
  slots: number;
  labels: string[];
  /** The only agents that it runs; null for all. */
  agents: string[] | null;
  /** File with environment variables, read again for each step. */
  envFile: string | null;
}

/** The executable, and the version of its server, which is part of the database's file name. */
interface PinnedTemporal {
  path: string;
  version: string;
}

export const serverIsUp = ({ external, server }: EngineState): boolean =>
  external || (server !== null && isAlive(server));

export const workerIsUp = ({ worker }: EngineState): boolean => worker !== null && isAlive(worker);

const engineFile = (stateFolder: string): string => join(stateFolder, 'engine.json');

export const readEngineState = (stateFolder: string): Promise<EngineState | null> =>
  readJsonIfThere<EngineState>(engineFile(stateFolder));

export const writeEngineState = (stateFolder: string, state: EngineState): Promise<void> =>
  writeFileAtomic(engineFile(stateFolder), `${JSON.stringify(state, null, 2)}\n`, 0o600);

/** Removes files that killed keepers were writing. Only the holder of the engine's lock may call this. */
export function removeHalfWritten(stateFolder: string): void {
  for (const name of readdirSync(stateFolder)) {
    if (name.startsWith('engine.json.') && TEMPORARY.test(name)) rmSync(join(stateFolder, name), { force: true });
  }
}

/** Touched by every command that uses the engine, so that the keeper knows when it is idle. */
export const lastUsedFile = (stateFolder: string): string => join(stateFolder, 'last-used');

/** While it exists, an idle engine keeps running. `engine start --stay` creates it, `engine stop` removes it. */
export const stayFile = (stateFolder: string): string => join(stateFolder, 'stay');

/** Holds an empty file for each schedule. While there is one, an idle engine keeps running. */
export const schedulesFolder = (stateFolder: string): string => join(stateFolder, 'schedules');

/** Returns the names of the schedules that need the engine. */
export const scheduledHere = (stateFolder: string): string[] =>
  existsSync(schedulesFolder(stateFolder)) ? readdirSync(schedulesFolder(stateFolder)).sort() : [];

/** Returns the path of the server's database. A server of another version may be unable to open it. */
export const databaseFile = (stateFolder: string, version: string): string =>
  join(stateFolder, `temporal-${version}.db`);

/** Written by the worker when it starts to poll. */
export const workerReadyFile = (stateFolder: string): string => join(stateFolder, 'worker.json');

/** Touched by the worker every second. */
export const workerAliveFile = (stateFolder: string): string => join(stateFolder, 'worker-alive');

/** Folder with a note for each run that this host has begun and not yet cleaned up. */
export const openRunsFolder = (stateFolder: string): string => join(stateFolder, 'open-runs');

/** Returns the task queue of a project's worker, by the project's id (see folders.ts). */
export const taskQueueOf = (projectId: string): string => `llm-tool-test-${projectId}`;

export const logFile = (stateFolder: string, of: 'keeper' | 'server' | 'worker'): string =>
  join(stateFolder, 'logs', `${of}.log`);

/** Returns why this build must not take over an engine, and what to do; null if it may. */
export function newerEngineProblem(state: EngineState | null, stateFolder: string): string | null {
  if (state === null || state.protocol <= ENGINE_PROTOCOL) return null;
  return [
    `the engine in ${stateFolder} was used by a newer llm-tool-test (${state.versions.llm_tool_test}, protocol ${state.protocol}):`,
    `sweeps that it started cannot continue with this one (${packageVersion}, protocol ${ENGINE_PROTOCOL}).`,
    `Use the newer version, or another results folder (--results);`,
    `if none of its sweeps is open, stop that engine with the newer version and delete ${stateFolder}`,
  ].join(' ');
}
