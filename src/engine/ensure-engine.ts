import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import {
  buildId,
  isAlive,
  lockHolder,
  packageFile,
  type ProcessIdentity,
  projectState,
  signalProcess,
  waitUntil,
  diskError,
} from '#host';
import { diskRemedy, type Limits, LIMITS } from '#lib';
import { resolveTemporalAddress } from './temporal/connection-options.js';
import { codecKeysFor } from './codec/codec-keys.js';
import { endProcess, startDetached, waitForExit } from './server.js';
import {
  lastUsedFile,
  logFile,
  readEngineState,
  serverIsUp,
  stayFile,
  workerIsUp,
  type EngineState,
  newerEngineProblem,
} from './engine-state.js';

/** Thrown when the engine cannot be started. The message is for the user. */
export class EngineUnavailable extends Error {}

export interface EngineRequest {
  resultsPath: string;
  /** `--address`. Without it, Temporal's own environment variables and config file count. */
  address?: string;
  /** Keep the engine running when it is idle. */
  stay?: boolean;
  limits: Limits;
  /** Called with what is being waited for, whenever that changes. */
  report: (text: string) => void;
}

/** Longer than building the Temporal CLI may take. */
const START_MS = 45 * 60_000;
const LOCK_MS = 30_000;
/** Bytes that the state of the engine needs. Only a few, because the room is checked often. */
const BARELY = 4096;

/** Records that the engine is in use. */
export function markUsed(stateFolder: string): void {
  try {
    mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
    const file = lastUsedFile(stateFolder);
    writeFileSync(file, '', { flag: 'a' });
    utimesSync(file, new Date(), new Date());
  } catch (error) {
    // A command that follows a sweep calls this again and again, and reports the problem of the disk itself.
    if (diskRemedy(error as NodeJS.ErrnoException) === null) throw error;
  }
}

/**
 * Ensures that the engine of a results folder is running with a worker of this build, and returns its state.
 * However many commands do this at once, they start one engine: the keeper's lock decides.
 *
 * @throws EngineUnavailable
 * @throws UsageError if payloads are encrypted and we have no keys for them
 */
export async function ensureEngine(request: EngineRequest): Promise<EngineState> {
  const { folder } = projectState(request.resultsPath);
  const external = resolveTemporalAddress(request.address);
  const codecKeys = codecKeysFor(await readEngineState(folder));
  const fits = (state: EngineState): boolean =>
    state.build === buildId() &&
    (state.codecKeys ?? '') === codecKeys &&
    (external === null ? !state.external : state.address === external.address);
  let startedAt = Date.now();
  let starts = 0;
  let replaced = false;
  let lastMessage = '';
  const say = (text: string): void => {
    if (text !== lastMessage) request.report(text);
    lastMessage = text;
  };
  const engine = await waitUntil<EngineState>(async () => {
    markUsed(folder);
    const blocked = diskError(folder, BARELY);
    if (blocked !== null) {
      const remedy = diskRemedy(blocked, () => true);
      if (remedy === null) throw new EngineUnavailable(blocked.message);
      say(`waiting: ${folder}: ${remedy}`);
      return null;
    }
    if (request.stay === true) writeFileSync(stayFile(folder), '');
    const holder = await lockHolder(folder, 'engine');
    const state = await readEngineState(folder);
    if (state !== null && state.phase === 'failed' && state.since >= startedAt)
      throw new EngineUnavailable(state.message);
    const newer = newerEngineProblem(state, folder);
    if (newer !== null) throw new EngineUnavailable(newer);
    if (holder === null) {
      if (starts++ >= 3) throw new EngineUnavailable(`the engine does not start; see ${logFile(folder, 'keeper')}`);
      startedAt = Date.now();
      await startKeeper(request, folder);
      return null;
    }
    if (state?.keeper.pid !== holder.pid) return null;
    // The keeper looks at its processes every 200 ms: until then, a dead one is recorded as running.
    if (state.phase === 'ready' && fits(state)) return serverIsUp(state) && workerIsUp(state) ? state : null;
    if (state.phase === 'ready' && !replaced) {
      codecKeysFor(state);
      request.report(replacementReason(state, codecKeys));
      replaced = signalProcess(holder, external === null && !state.external ? 'SIGUSR2' : 'SIGTERM');
    }
    if (state.failing != null) {
      const { message, since } = state.failing;
      // The keeper tries for ever, and so do we while the disk has no room.
      const isLong = Date.now() - Math.max(since, startedAt) > request.limits.engineFailsMs;
      if (isLong && diskError(folder) === null) throw new EngineUnavailable(message);
      say(`${message}; trying again`);
    } else if (state.phase === 'starting') say(state.message);
    return null;
  }, START_MS);
  if (engine === null)
    throw new EngineUnavailable(`the engine was not ready in time; see ${logFile(folder, 'keeper')}`);
  return engine;
}

function replacementReason({ build, codecKeys: before = '' }: EngineState, codecKeys: string): string {
  if (build !== buildId()) return 'replacing a worker from another build';
  if (before !== codecKeys) return 'replacing a worker that has other keys for payloads';
  return 'switching to another Temporal server';
}

/**
 * Starts a keeper if there is none, as `ensureEngine` would, so that a command can load Temporal's client meanwhile.
 * Whatever goes wrong is left to `ensureEngine`.
 */
export async function beginEngine(request: Pick<EngineRequest, 'resultsPath' | 'address' | 'stay'>): Promise<void> {
  try {
    const { folder } = projectState(request.resultsPath);
    if (diskError(folder, BARELY) === null && (await lockHolder(folder, 'engine')) === null)
      await startKeeper(request, folder);
  } catch {
    // See above.
  }
}

/** Resolves when the new keeper has the lock, or has ended because another keeper has it. */
async function startKeeper(
  request: Pick<EngineRequest, 'resultsPath' | 'address' | 'stay'>,
  folder: string,
): Promise<void> {
  const keeper = startDetached(
    process.execPath,
    [
      ...[packageFile('dist/cli.js'), 'engine', 'keep', '--results', request.resultsPath],
      ...(request.address === undefined ? [] : ['--address', request.address]),
      ...(request.stay === true ? ['--stay'] : []),
    ],
    logFile(folder, 'keeper'),
  );
  await waitUntil(
    async () => (!isAlive(keeper) || (await lockHolder(folder, 'engine')) !== null ? true : null),
    LOCK_MS,
  );
}

export type Stopped =
  | { status: 'stopped' | 'not running' }
  /** The process was asked to end, but is still alive. */
  | { status: 'ending'; process: ProcessIdentity };

/** Stops the keeper, the worker and the server; also a server or worker without a keeper. */
export async function stopEngine(
  stateFolder: string,
  { engineStopMs }: Pick<Limits, 'engineStopMs'> = LIMITS,
): Promise<Stopped> {
  try {
    rmSync(stayFile(stateFolder), { force: true });
  } catch {
    // The disk is read-only, but what is running must still be stopped.
  }
  const keeper = await lockHolder(stateFolder, 'engine');
  if (keeper !== null) {
    signalProcess(keeper, 'SIGTERM');
    if (!(await waitForExit(keeper, engineStopMs))) return { status: 'ending', process: keeper };
  }
  const state = await readEngineState(stateFolder);
  const left = [state?.worker ?? null, state?.server ?? null].filter((process) => process !== null && isAlive(process));
  for (const process of left)
    if (process !== null && !(await endProcess(process))) return { status: 'ending', process };
  return { status: keeper === null && left.length === 0 ? 'not running' : 'stopped' };
}
