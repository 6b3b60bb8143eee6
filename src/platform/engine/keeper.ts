import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectState } from '../folders.js';
import { tryLock } from '../generation-lock.js';
import type { TemporalAddress } from '../given-temporal.js';
import { buildId, packageFile, packageVersion } from '../package-info.js';
import { isAlive, ownIdentity, type ProcessIdentity } from '../process-identity.js';
import { readJsonIfThere } from '../read-file.js';
import { withClient } from '../temporal-client.js';
import { waitUntil } from '../wait-until.js';
import {
  lastUsedFile,
  logFile,
  readEngineState,
  removeHalfWritten,
  taskQueueOf,
  workerAliveFile,
  workerReadyFile,
  writeEngineState,
  type EngineState,
} from './engine-state.js';
import { TemporalNotFound } from './find-temporal.js';
import { bringUpServer, serverIsUp, type BringUp } from './bring-up-server.js';
import { endProcess, killProcess } from './end-process.js';
import { createWatchdog } from './watchdog.js';
import { startRecorded, tailOf } from './server.js';

const START_MS = 60_000;
const POLL_MS = 200;
/** So many failed starts within FAILURES_WINDOW_MS are no accident. */
const FAILURES_LIMIT = 5;
const FAILURES_WINDOW_MS = 60_000;

export interface KeeperOptions {
  resultsPath: string;
  /** A given server: keep a worker only. */
  external: TemporalAddress | null;
  /** End after so long without open workflows and commands; null: never. */
  idleMs: number | null;
}

/**
 * The keeper: runs the Temporal server and one worker as detached processes, restarts what dies, and ends both when
 * nothing has used them for a while. Returns at once when another keeper holds the lock. Server and worker finish their
 * work without it, and the next keeper adopts them.
 */
export async function keep(options: KeeperOptions): Promise<void> {
  const { id, folder } = projectState(options.resultsPath);
  const lock = await tryLock(folder, 'engine');
  if (lock === null) return;
  removeHalfWritten(folder);

  const asked: { stop: 'all' | 'worker' } = { stop: 'all' };
  const stopping = new AbortController();
  const isAskedToStop = (): boolean => stopping.signal.aborted;
  const askToStop = (stop: 'all' | 'worker'): void => {
    asked.stop = stop;
    stopping.abort();
  };
  process.on('SIGTERM', () => askToStop('all'));
  process.on('SIGUSR2', () => askToStop('worker'));
  process.on('SIGINT', () => undefined);
  process.on('SIGHUP', () => undefined);

  const before = await readEngineState(folder);
  let state: EngineState = {
    phase: 'starting',
    message: 'starting',
    since: Date.now(),
    build: buildId(),
    external: options.external !== null,
    address: options.external?.address ?? before?.address ?? '',
    namespace: options.external?.namespace ?? 'default',
    taskQueue: taskQueueOf(id),
    uiUrl: options.external === null ? (before?.uiUrl ?? null) : null,
    resultsPath: options.resultsPath,
    keeper: ownIdentity(),
    ...(await takeOver(before, options.external)),
    versions: { temporal: null, llm_tool_test: packageVersion },
  };
  let written = Promise.resolve();
  /** Writes follow each other, also those that nobody waits for. */
  const update = (change: Partial<EngineState>): Promise<void> => {
    const since = change.phase !== undefined && change.phase !== state.phase ? Date.now() : state.since;
    state = { ...state, ...change, since };
    const now = state;
    written = written.catch(() => undefined).then(() => writeEngineState(folder, now));
    return written;
  };

  try {
    await update({});
    const failures: number[] = [];
    const isStuck = createWatchdog(workerAliveFile(folder));
    let idleSince = Date.now();
    let nextIdleCheck = Date.now();
    while (!isAskedToStop()) {
      if (workerIsUp(state) && (await isStuck(state.worker))) await killProcess(state.worker);
      // Not ready at first, also where both are up already: a keeper that succeeds another adopts them.
      if (state.phase !== 'ready' || !serverIsUp(state) || !workerIsUp(state)) {
        try {
          await bringUp({ folder, state: () => state, change: update, signal: stopping.signal });
        } catch (error) {
          if (isAskedToStop()) break;
          // Killed while it started, or a port taken in between: worth another try, but not for ever.
          failures.push(Date.now());
          const recent = failures.filter((at) => at > Date.now() - FAILURES_WINDOW_MS);
          if (state.external || error instanceof TemporalNotFound || recent.length >= FAILURES_LIMIT)
            throw error;
        }
      }
      if (options.idleMs !== null && Date.now() >= nextIdleCheck) {
        nextIdleCheck = Date.now() + Math.min(options.idleMs / 4, 30_000);
        const used = await lastUse(folder);
        if ((await openWorkflows(state, stopping.signal)) !== 0) idleSince = Date.now();
        if (Date.now() - Math.max(idleSince, used) > options.idleMs) {
          await update({ phase: 'stopping', message: 'idle' });
          // A command marks its use before it reads the phase: whoever came in between is seen here.
          const isIdle = (await openWorkflows(state, stopping.signal)) === 0;
          if (isIdle && (await lastUse(folder)) === used) askToStop('all');
          else await update({ phase: 'ready', message: '' });
        }
      }
      await sleep(POLL_MS);
    }
    await update({ phase: 'stopping', message: 'asked to stop' });
    await endProcess(state.worker);
    if (asked.stop === 'all') await endProcess(state.server);
    await update({
      phase: 'stopped',
      message: '',
      worker: null,
      ...(asked.stop === 'all' ? { server: null } : {}),
    });
  } catch (error) {
    await update({ phase: 'failed', message: error instanceof Error ? error.message : String(error) });
    await endProcess(state.worker);
    await endProcess(state.server);
  } finally {
    await lock.release();
  }
}

const workerIsUp = (state: EngineState): boolean => state.worker !== null && isAlive(state.worker);

/** What an earlier keeper left and this one can go on with. The rest ends: agents are adopted by the next worker. */
async function takeOver(
  before: EngineState | null,
  external: TemporalAddress | null,
): Promise<Pick<EngineState, 'server' | 'worker'>> {
  if (before === null) return { server: null, worker: null };
  const sameServer =
    external === null ? !before.external : before.external && before.address === external.address;
  const sameWorker = sameServer && before.build === buildId();
  if (!sameWorker) await endProcess(before.worker);
  if (!sameServer) await endProcess(before.server);
  return { server: sameServer ? before.server : null, worker: sameWorker ? before.worker : null };
}

async function bringUp(up: BringUp): Promise<void> {
  if (!serverIsUp(up.state()) || up.state().phase !== 'ready') await bringUpServer(up);
  if (!workerIsUp(up.state())) await bringUpWorker(up);
  await up.change({ phase: 'ready', message: '', build: buildId() });
}

async function bringUpWorker({ folder, state, change, signal }: BringUp): Promise<void> {
  await change({ phase: 'starting', message: 'starting the worker' });
  const log = logFile(folder, 'worker');
  const worker = await startRecorded(
    { command: process.execPath, args: workerArguments(state()), log, env: process.env },
    (worker) => change({ worker }),
  );
  const ready = await waitUntil(async () => {
    signal.throwIfAborted();
    const said = await readJsonIfThere<ProcessIdentity>(workerReadyFile(folder));
    if (said?.pid === worker.pid && said.start === worker.start) return true;
    if (!isAlive(worker)) throw new Error(`the worker ended:\n${await tailOf(log)}`);
    return null;
  }, START_MS);
  if (ready === null) throw new Error(`the worker was not ready within ${START_MS / 1000} s`);
}

const workerArguments = (state: EngineState): string[] => [
  packageFile('dist/worker.js'),
  ...['--results', state.resultsPath, '--queue', state.taskQueue],
  ...['--address', state.address, '--namespace', state.namespace],
  ...(state.external ? ['--external'] : []),
];

async function openWorkflows(state: EngineState, signal: AbortSignal): Promise<number | null> {
  try {
    const query = `ExecutionStatus = "Running" AND TaskQueue = "${state.taskQueue}"`;
    return await withClient(
      state,
      { timeoutMs: 5000, signal },
      async ({ workflow }) => (await workflow.count(query)).count,
    );
  } catch {
    return null; // not known: not idle
  }
}

const lastUse = async (folder: string): Promise<number> =>
  (await stat(lastUsedFile(folder)).catch(() => ({ mtimeMs: 0 }))).mtimeMs;
