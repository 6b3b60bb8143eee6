import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { projectState } from '../folders.js';
import { lockHolder } from '../process/process-lock.js';
import { resolveTemporalAddress } from '../temporal/resolve-temporal-address.js';
import { buildId, packageFile } from '../package-info.js';
import { isAlive, signalProcess, type ProcessIdentity } from '../process/process-identity.js';
import { whyNoRoom } from '../fs/disk-room.js';
import { diskRemedy } from '../../lib/disk-failure.js';
import { waitUntil } from '../process/wait-until.js';
import { endProcess } from './end-process.js';
import { lastUsedFile, logFile, readEngineState, stayFile, type EngineState } from './engine-state.js';
import { whyNewer } from './newer-engine.js';
import { startDetached, waitForExit } from './server.js';

/** Thrown when the engine cannot be brought up; the message is for the user. */
export class EngineUnavailable extends Error {}

export interface EngineRequest {
  resultsPath: string;
  /** `--address`; Temporal's own environment and config file count too. */
  address?: string;
  /** Never end by idleness. */
  stay?: boolean;
  /** Told what is waited for, whenever that changes. */
  report: (text: string) => void;
}

/** Longer than a build of the Temporal CLI may take. */
const START_MS = 45 * 60_000;
const STOP_MS = 30_000;
/** A keeper tries for ever; a command that waits for it gives up, unless it is a disk that is waited for. */
const FAILING_MS = 60_000;
/** Looked for often: enough for the state of the engine. */
const BARELY = 4096;

/** Tells the keeper that the engine is in use. */
export function markUsed(stateFolder: string): void {
  try {
    mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
    const file = lastUsedFile(stateFolder);
    writeFileSync(file, '', { flag: 'a' });
    utimesSync(file, new Date(), new Date());
  } catch (error) {
    // Whoever follows a sweep marks it again and again, and says what the disk lacks.
    if (diskRemedy(error as NodeJS.ErrnoException) === null) throw error;
  }
}

/**
 * Makes sure that the engine of a results folder is up, with workers of this build, and says where it is.
 * Any number of commands at once start one engine: the keeper's lock decides.
 * @throws EngineUnavailable
 */
export async function ensureEngine(request: EngineRequest): Promise<EngineState> {
  const { folder } = projectState(request.resultsPath);
  const external = resolveTemporalAddress(request.address);
  const fits = (state: EngineState): boolean =>
    state.build === buildId() && (external === null ? !state.external : state.address === external.address);
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
    const blocked = whyNoRoom(folder, BARELY);
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
    const newer = whyNewer(state, folder);
    if (newer !== null) throw new EngineUnavailable(newer);
    if (holder === null) {
      if (starts++ >= 3)
        throw new EngineUnavailable(`the engine does not start; see ${logFile(folder, 'keeper')}`);
      startedAt = Date.now();
      await startKeeper(request, folder);
      return null;
    }
    if (state?.keeper.pid !== holder.pid) return null;
    if (state.phase === 'ready' && fits(state)) return state;
    if (state.phase === 'ready' && !replaced) {
      request.report(
        state.build === buildId()
          ? 'switching to another Temporal server'
          : 'replacing a worker from another build',
      );
      replaced = signalProcess(holder, external === null && !state.external ? 'SIGUSR2' : 'SIGTERM');
    }
    if (state.failing != null) {
      const { message, since } = state.failing;
      const isLong = Date.now() - Math.max(since, startedAt) > FAILING_MS;
      if (isLong && whyNoRoom(folder) === null) throw new EngineUnavailable(message);
      say(`${message}; trying again`);
    } else if (state.phase === 'starting') say(state.message);
    return null;
  }, START_MS);
  if (engine === null)
    throw new EngineUnavailable(`the engine was not ready in time; see ${logFile(folder, 'keeper')}`);
  return engine;
}

/** Resolves when the new keeper has the lock, or has ended because another one has it. */
async function startKeeper(request: EngineRequest, folder: string): Promise<void> {
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
    STOP_MS,
  );
}

export type Stopped =
  | { status: 'stopped' | 'not running' }
  /** Asked to end, and not done with it in time. */
  | { status: 'ending'; process: ProcessIdentity };

/** Ends keeper, worker and server; also a server or worker whose keeper is gone. */
export async function stopEngine(stateFolder: string): Promise<Stopped> {
  try {
    rmSync(stayFile(stateFolder), { force: true });
  } catch {
    // On a read-only disk; what runs there is to be ended all the same.
  }
  const keeper = await lockHolder(stateFolder, 'engine');
  if (keeper !== null) {
    signalProcess(keeper, 'SIGTERM');
    if (!(await waitForExit(keeper, STOP_MS))) return { status: 'ending', process: keeper };
  }
  const state = await readEngineState(stateFolder);
  const left = [state?.worker ?? null, state?.server ?? null].filter(
    (process) => process !== null && isAlive(process),
  );
  for (const process of left)
    if (process !== null && !(await endProcess(process))) return { status: 'ending', process };
  return { status: keeper === null && left.length === 0 ? 'not running' : 'stopped' };
}
