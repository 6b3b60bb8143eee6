import { packageFile, type ProcessIdentity, readJsonIfThere, waitUntil } from '#host';
import { type EngineContext, logFile, workerIsUp, workerReadyFile, type EngineState } from './engine-state.js';
import { startRecorded, readTail } from './server.js';

const START_MS = 60_000;
const POLL_MS = 20;

/** Starts a worker unless it is running. It loads its code while the server starts, and then waits for that. */
export async function startWorker({ folder, state, change }: EngineContext): Promise<void> {
  if (workerIsUp(state())) return;
  await startRecorded(
    { command: process.execPath, args: workerArguments(state()), log: logFile(folder, 'worker'), env: process.env },
    (worker) => change({ worker }),
  );
}

/** Waits until the worker polls. Throws if it ends, or is not ready within 60 s. */
export async function workerReady({ folder, state, change, signal }: EngineContext): Promise<void> {
  await change({ phase: 'starting', message: 'starting the worker' });
  const ready = await waitUntil(
    async () => {
      signal.throwIfAborted();
      const [polling, { worker }] = [await readJsonIfThere<ProcessIdentity>(workerReadyFile(folder)), state()];
      if (polling !== null && polling.pid === worker?.pid && polling.start === worker.start) return true;
      if (!workerIsUp(state())) throw new Error(`the worker ended:\n${await readTail(logFile(folder, 'worker'))}`);
      return null;
    },
    START_MS,
    POLL_MS,
  );
  if (ready === null) throw new Error(`the worker was not ready within ${START_MS / 1000} s`);
}

const workerArguments = (state: EngineState): string[] => [
  packageFile('dist/worker.js'),
  ...['--results', state.resultsPath, '--queue', state.taskQueue],
  ...['--address', state.address, '--namespace', state.namespace],
  ...(state.external ? ['--external'] : []),
  ...(state.host === undefined ? [] : ['--host', JSON.stringify(state.host)]),
  ...(state.external ? [] : state.namespaceId == null ? ['--server-starts'] : ['--namespace-id', state.namespaceId]),
];
