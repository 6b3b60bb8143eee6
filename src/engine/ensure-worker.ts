import { isAlive, packageFile, type ProcessIdentity, readJsonIfThere, waitUntil } from '#host';
import type { EngineContext } from './ensure-server.js';
import { logFile, workerReadyFile, type EngineState } from './engine-state.js';
import { startRecorded, readTail } from './server.js';

const START_MS = 60_000;

/** Starts a worker and waits until it polls. Throws if it ends, or is not ready within 60 s. */
export async function startWorker({ folder, state, change, signal }: EngineContext): Promise<void> {
  await change({ phase: 'starting', message: 'starting the worker' });
  const log = logFile(folder, 'worker');
  const worker = await startRecorded(
    { command: process.execPath, args: workerArguments(state()), log, env: process.env },
    (worker) => change({ worker }),
  );
  const ready = await waitUntil(async () => {
    signal.throwIfAborted();
    const polling = await readJsonIfThere<ProcessIdentity>(workerReadyFile(folder));
    if (polling?.pid === worker.pid && polling.start === worker.start) return true;
    if (!isAlive(worker)) throw new Error(`the worker ended:\n${await readTail(log)}`);
    return null;
  }, START_MS);
  if (ready === null) throw new Error(`the worker was not ready within ${START_MS / 1000} s`);
}

const workerArguments = (state: EngineState): string[] => [
  packageFile('dist/worker.js'),
  ...['--results', state.resultsPath, '--queue', state.taskQueue],
  ...['--address', state.address, '--namespace', state.namespace],
  ...(state.external ? ['--external'] : []),
  ...(state.host === undefined ? [] : ['--host', JSON.stringify(state.host)]),
  ...(state.namespaceId == null ? [] : ['--namespace-id', state.namespaceId]),
];
