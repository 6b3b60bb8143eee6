import { setTimeout as sleep } from 'node:timers/promises';
import { fingerprintOf, readCodecKeys } from './codec/codec-keys.js';
import type { TemporalAddress } from './temporal/connection-options.js';
import { UnusableNamespace } from './temporal/connection-problem.js';
import { createBackOff } from './back-off.js';
import { ensureServer } from './ensure-server.js';
import { startWorker, workerReady } from './ensure-worker.js';
import { endProcess, killProcess } from './server.js';
import {
  type EngineContext,
  readEngineState,
  removeHalfWritten,
  serverIsUp,
  taskQueueOf,
  workerAliveFile,
  workerIsUp,
  writeEngineState,
  type EngineState,
  type HostSettings,
  newerEngineProblem,
} from './engine-state.js';
import { TemporalNotFound } from './find-temporal.js';
import { createIdleWatch, mustKeepRunning, lastUse, openWorkflows, createServerWatch } from './watches.js';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import {
  assertSpace,
  buildId,
  ownIdentity,
  packageVersion,
  type ProcessIdentity,
  projectState,
  tryLock,
  diskError,
} from '#host';
import { defined, diskRemedy, ENGINE_PROTOCOL, type Limits, messageOf } from '#lib';

const POLL_MS = 200;
/** An engine that fails this many times in a row at its first start will keep failing. */
const FIRST_FAILURES = 5;

export interface KeeperOptions {
  resultsPath: string;
  /** An external server. Then the keeper only runs a worker. */
  external: TemporalAddress | null;
  /** Stop after this time without open workflows and commands; null: never. */
  idleMs: number | null;
  limits: Limits;
  /** Set if the worker is a host of shared results, and the keeper runs in the foreground. */
  host?: HostSettings;
  /** Called after each change of the state. */
  onChange?: (state: EngineState) => void;
}

/**
 * The keeper: runs the Temporal server and one worker as detached processes, restarts what dies or hangs, and stops
 * both when nothing has used them for a while. Returns at once if another keeper holds the lock. Without a keeper, the
 * server and the worker finish their work, and the next keeper adopts them. Once they have been running, it never stops
 * trying to restart them.
 */
export async function keep(options: KeeperOptions): Promise<void> {
  const { limits } = options;
  const { id, folder } = projectState(options.resultsPath);
  const codecKeys = fingerprintOf(readCodecKeys());
  const lock = await tryLock(folder, 'engine');
  if (lock === null) return;
  removeHalfWritten(folder);

  const request: { stop: 'all' | 'worker' } = { stop: 'all' };
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  const requestStop = (stop: 'all' | 'worker'): void => {
    request.stop = stop;
    stopping.abort();
  };
  process.on('SIGTERM', () => requestStop('all'));
  process.on('SIGUSR2', () => requestStop('worker'));
  // Ctrl-C in a terminal also reaches a keeper that a command has started there.
  process.on('SIGINT', () => (options.host === undefined ? undefined : requestStop('all')));
  process.on('SIGHUP', () => undefined);

  const before = await readEngineState(folder);
  const newer = newerEngineProblem(before, folder);
  let state: EngineState = {
    phase: 'starting',
    message: 'starting',
    since: Date.now(),
    build: buildId(),
    protocol: Math.max(before?.protocol ?? 0, ENGINE_PROTOCOL),
    external: options.external !== null,
    address: options.external?.address ?? before?.address ?? '',
    namespace: options.external?.namespace ?? 'default',
    taskQueue: taskQueueOf(id),
    codecKeys,
    uiUrl: options.external === null ? (before?.uiUrl ?? null) : null,
    resultsPath: options.resultsPath,
    ...defined({ host: options.host }),
    keeper: ownIdentity(),
    ...(newer === null ? await takeOver(before, options) : { server: null, worker: null }),
    versions: {
      temporal: before?.versions.temporal ?? null,
      llm_tool_test: newer === null ? packageVersion : (before?.versions.llm_tool_test ?? packageVersion),
    },
    temporal: before?.temporal ?? null,
  };
  let written = Promise.resolve();
  let isWritten = true as boolean;
  /** Writes happen one after the other, including those that nobody waits for. */
  const update = (change: Partial<EngineState>): Promise<void> => {
    const since = change.phase !== undefined && change.phase !== state.phase ? Date.now() : state.since;
    state = { ...state, ...change, since };
    const now = state;
    options.onChange?.(now);
    written = written.catch(() => undefined).then(() => writeEngineState(folder, now));
    written.then(
      () => (isWritten = true),
      () => (isWritten = false),
    );
    return written;
  };
  /** For changes that can be written later: a full disk must not stop the keeper's work. */
  const note = (change: Partial<EngineState>): Promise<void> => update(change).catch(() => undefined);

  const backOff = createBackOff(limits.engineRetryMs);
  let wasReady = false;
  const tryToStart = async (): Promise<void> => {
    try {
      await startServerAndWorker({
        folder,
        state: () => state,
        change: update,
        signal: stopping.signal,
        limits,
      });
      backOff.succeed();
      wasReady = true;
      await note({ failing: null });
    } catch (error) {
      if (isStopping()) return;
      backOff.fail();
      const failed = backOff.failing();
      if (!wasReady && !isDiskFailure(error, folder) && !hasLiveSupervisors(folder)) {
        // The server of a team may start after its hosts.
        const isFinal =
          (state.external && options.host === undefined) ||
          error instanceof UnusableNamespace ||
          error instanceof TemporalNotFound;
        if (isFinal || (options.host === undefined && (failed?.times ?? 0) >= FIRST_FAILURES)) throw error;
      }
      const { message } = error as Error;
      await note({ phase: 'starting', failing: { message, since: failed?.since ?? Date.now() } });
    }
  };

  try {
    if (newer !== null) throw new Error(newer);
    await note({});
    const isStuck = createWatchdog(workerAliveFile(folder), limits.workerSilentMs);
    const isHung = createServerWatch(limits.serverSilentMs, stopping.signal);
    const isIdle = createIdleWatch(folder, options.idleMs ?? 0, stopping.signal);
    while (!isStopping()) {
      if (workerIsUp(state) && (await isStuck(state.worker))) await killProcess(state.worker);
      if (!state.external && serverIsUp(state) && isHung(state)) await killProcess(state.server);
      // Not ready at first, even if both are running: a new keeper adopts those of the keeper before it.
      const isUp = state.phase === 'ready' && serverIsUp(state) && workerIsUp(state);
      if (!isUp && backOff.isDue()) await tryToStart();
      if (!isWritten && diskError(folder) === null) await note({});
      if (!mustKeepRunning(folder, options.idleMs) && (await isIdle(state)) && !isStopping()) {
        const used = await lastUse(folder);
        await note({ phase: 'stopping', message: 'idle' });
        // A command marks its use before it reads the phase, so a use in the meantime shows here.
        const isUnused = (await openWorkflows(state, stopping.signal)) === 0;
        if (isUnused && (await lastUse(folder)) === used) requestStop('all');
        else await note({ phase: 'ready', message: '' });
      }
      await sleep(POLL_MS);
    }
    await note({ phase: 'stopping', message: 'asked to stop' });
    await endProcess(state.worker);
    if (request.stop === 'all') await endProcess(state.server);
    await note({
      phase: 'stopped',
      message: '',
      worker: null,
      ...(request.stop === 'all' ? { server: null } : {}),
    });
  } catch (error) {
    await note({ phase: 'failed', message: messageOf(error) });
    await endProcess(state.worker);
    await endProcess(state.server);
  } finally {
    // If the lock cannot be released, it will be that of a dead process in a moment.
    await lock.release().catch(() => undefined);
  }
}

/** A program that does not start because of a full disk may report something else. */
const isDiskFailure = (error: unknown, folder: string): boolean =>
  diskRemedy(error as NodeJS.ErrnoException) !== null || diskError(folder) !== null;

/**
 * Returns what an earlier keeper left running and this one can use. Ends the rest; the next worker adopts its agents.
 */
async function takeOver(
  before: EngineState | null,
  { external, host }: Pick<KeeperOptions, 'external' | 'host'>,
): Promise<Pick<EngineState, 'server' | 'worker'>> {
  if (before === null) return { server: null, worker: null };
  const sameServer = external === null ? !before.external : before.external && before.address === external.address;
  const sameWorker = sameServer && before.build === buildId() && JSON.stringify(before.host) === JSON.stringify(host);
  if (!sameWorker) await endProcess(before.worker);
  if (!sameServer) await endProcess(before.server);
  return { server: sameServer ? before.server : null, worker: sameWorker ? before.worker : null };
}

async function startServerAndWorker(engine: EngineContext): Promise<void> {
  // Whatever is started must be recorded, so nothing is started on a full disk.
  assertSpace(engine.folder);
  if (!serverIsUp(engine.state()) || engine.state().phase !== 'ready') await ensureServer(engine);
  await startWorker(engine);
  await workerReady(engine);
  await engine.change({ phase: 'ready', message: '', build: buildId() });
}

/** True if an agent of this engine may still be working: a folder of the engine is in its supervisor's command line. */
const hasLiveSupervisors = (stateFolder: string): boolean =>
  commandLines().some((line) => line.includes(`${stateFolder}/work/`));

function commandLines(): string[] {
  if (process.platform !== 'linux') return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : [];
    } catch {
      return []; // gone in the meantime
    }
  });
}

/**
 * Returns a function that tells whether a process is stuck: whether its sign of life (a file that it rewrites) has not
 * changed for `silentMs`, which is longer than any task blocks an event loop. Time is measured by a clock that stops
 * while the machine sleeps, so that waking up does not look like a standstill.
 */
function createWatchdog(signOfLife: string, silentMs: number): (worker: ProcessIdentity | null) => Promise<boolean> {
  let seen = '';
  let changedAt = performance.now();
  return async (worker) => {
    const { mtimeMs } = await stat(signOfLife).catch(() => ({ mtimeMs: 0 }));
    const now = `${worker?.pid ?? 0} ${worker?.start ?? ''} ${mtimeMs}`;
    if (now !== seen) {
      seen = now;
      changedAt = performance.now();
    }
    return performance.now() - changedAt > silentMs;
  };
}
