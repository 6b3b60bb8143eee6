import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectState } from '../folders.js';
import { tryLock } from '../generation-lock.js';
import type { TemporalAddress } from '../given-temporal.js';
import { buildId, packageFile, packageVersion } from '../package-info.js';
import { isAlive, ownIdentity, signalProcess, type ProcessIdentity } from '../process-identity.js';
import { readJsonIfThere } from '../read-file.js';
import { connect, prepareNamespace } from '../temporal-client.js';
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
import { findTemporal, TemporalNotFound } from './find-temporal.js';
import { createWatchdog } from './watchdog.js';
import { choosePorts, LOOPBACK, startDetached, startServer, tailOf, waitForDeath } from './server.js';

const START_MS = 60_000;
const STOP_MS = 10_000;
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

  const asked: { stop: 'all' | 'worker' | null } = { stop: null };
  process.on('SIGTERM', () => (asked.stop = 'all'));
  process.on('SIGUSR2', () => (asked.stop = 'worker'));
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
    server: options.external === null && before?.external !== true ? (before?.server ?? null) : null,
    worker: before?.build === buildId() ? before.worker : null,
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
    // A worker of another build goes; the agents that it follows are adopted by the next one.
    if (before !== null && before.build !== buildId()) await end(before.worker);
    const failures: number[] = [];
    const isStuck = createWatchdog(workerAliveFile(folder));
    let idleSince = Date.now();
    let nextIdleCheck = Date.now();
    while (asked.stop === null) {
      if (workerIsUp(state) && (await isStuck(state.worker))) await kill(state.worker);
      // Not ready at first, also where both are up already: a keeper that succeeds another adopts them.
      if (state.phase !== 'ready' || !serverIsUp(state) || !workerIsUp(state)) {
        try {
          await startWhatIsDown(folder, state, update);
        } catch (error) {
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
        if ((await openWorkflows(state)) !== 0) idleSince = Date.now();
        if (Date.now() - Math.max(idleSince, used) > options.idleMs) {
          await update({ phase: 'stopping', message: 'idle' });
          // A command marks its use before it reads the phase: whoever came in between is seen here.
          if ((await lastUse(folder)) === used && (await openWorkflows(state)) === 0) asked.stop = 'all';
          else await update({ phase: 'ready', message: '' });
        }
      }
      await sleep(POLL_MS);
    }
    await update({ phase: 'stopping', message: 'asked to stop' });
    await end(state.worker);
    if (asked.stop === 'all' && !state.external) await end(state.server);
    await update({
      phase: 'stopped',
      message: '',
      worker: null,
      ...(asked.stop === 'all' ? { server: null } : {}),
    });
  } catch (error) {
    await update({ phase: 'failed', message: error instanceof Error ? error.message : String(error) });
    await end(state.worker);
    if (!state.external) await end(state.server);
  } finally {
    await lock.release();
  }
}

const serverIsUp = (state: EngineState): boolean =>
  state.external || (state.server !== null && isAlive(state.server));
const workerIsUp = (state: EngineState): boolean => state.worker !== null && isAlive(state.worker);

async function startWhatIsDown(
  folder: string,
  state: EngineState,
  update: (change: Partial<EngineState>) => Promise<void>,
): Promise<void> {
  let current = state;
  const change = async (part: Partial<EngineState>): Promise<void> => {
    current = { ...current, ...part };
    await update(part);
  };
  if (!serverIsUp(current)) {
    await change({ phase: 'starting', message: 'looking for the Temporal CLI' });
    const temporal = await findTemporal((text) => void update({ message: text }));
    const ports = await choosePorts(portsOf(current));
    const address = `${LOOPBACK}:${ports.port}`;
    // Another program has taken the port meanwhile: the worker would look for the server there for ever.
    if (address !== current.address) await end(current.worker);
    await change({
      message: 'starting the Temporal server',
      address,
      uiUrl: `http://${LOOPBACK}:${ports.uiPort}`,
      versions: { ...current.versions, temporal: temporal.version },
    });
    await change({ server: startServer(temporal, folder, ports) });
    await serverReady(folder, current);
  } else if (current.phase !== 'ready') {
    await serverReady(folder, current);
  }
  if (!workerIsUp(current)) {
    await change({ phase: 'starting', message: 'starting the worker' });
    const worker = startDetached(process.execPath, workerArguments(current), logFile(folder, 'worker'));
    await change({ worker });
    await workerReady(folder, worker);
  }
  await change({ phase: 'ready', message: '', build: buildId() });
}

function portsOf(state: EngineState): { port: number; uiPort: number } {
  const port = Number(state.address.split(':').at(-1));
  const uiPort = Number(state.uiUrl?.split(':').at(-1));
  return { port: port > 0 ? port : 7233, uiPort: uiPort > 0 ? uiPort : 8233 };
}

async function serverReady(folder: string, state: EngineState): Promise<void> {
  const ready = await waitUntil(async () => {
    if (!serverIsUp(state))
      throw new Error(`the Temporal server ended:\n${await tailOf(logFile(folder, 'server'))}`);
    try {
      const client = await connect(state, 2000);
      try {
        await prepareNamespace(client, state.external);
      } finally {
        await client.connection.close();
      }
      return true;
    } catch (error) {
      if (state.external)
        throw new Error(`Temporal at ${state.address} does not answer: ${(error as Error).message}`);
      return null;
    }
  }, START_MS);
  if (ready === null) throw new Error(`the Temporal server did not answer within ${START_MS / 1000} s`);
}

const workerArguments = (state: EngineState): string[] => [
  packageFile('dist/worker.js'),
  ...['--results', state.resultsPath, '--queue', state.taskQueue],
  ...['--address', state.address, '--namespace', state.namespace],
  ...(state.external ? ['--external'] : []),
];

async function workerReady(folder: string, worker: ProcessIdentity): Promise<void> {
  const ready = await waitUntil(async () => {
    const said = await readJsonIfThere<ProcessIdentity>(workerReadyFile(folder));
    if (said?.pid === worker.pid && said.start === worker.start) return true;
    if (!isAlive(worker)) throw new Error(`the worker ended:\n${await tailOf(logFile(folder, 'worker'))}`);
    return null;
  }, START_MS);
  if (ready === null) throw new Error(`the worker was not ready within ${START_MS / 1000} s`);
}

async function openWorkflows(state: EngineState): Promise<number | null> {
  try {
    const client = await connect(state);
    try {
      const query = `ExecutionStatus = "Running" AND TaskQueue = "${state.taskQueue}"`;
      return (await client.workflow.count(query)).count;
    } finally {
      await client.connection.close();
    }
  } catch {
    return null; // not known: not idle
  }
}

const lastUse = async (folder: string): Promise<number> =>
  (await stat(lastUsedFile(folder)).catch(() => ({ mtimeMs: 0 }))).mtimeMs;

async function end(identity: ProcessIdentity | null): Promise<void> {
  if (identity === null || !signalProcess(identity, 'SIGTERM')) return;
  if (!(await waitForDeath(identity, STOP_MS))) await kill(identity);
}

async function kill(identity: ProcessIdentity | null): Promise<void> {
  if (identity !== null && signalProcess(identity, 'SIGKILL')) await waitForDeath(identity, STOP_MS);
}
