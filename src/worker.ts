import { utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@temporalio/client';
import {
  type ActivityInterceptorsFactory,
  DefaultLogger,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { createActivities } from './activities/index.js';
import { MOST_AT_ONCE } from './lib/most-at-once.js';
import { taskQueueOf, workerAliveFile, workerReadyFile } from './platform/engine/engine-state.js';
import { projectState } from './platform/folders.js';
import { giveUpLost } from './platform/give-up-lost.js';
import { noteInflight } from './platform/inflight.js';
import { packageFile } from './platform/package-info.js';
import { ownIdentity } from './platform/process-identity.js';
import { waitUntil } from './platform/wait-until.js';
import { writeFileAtomic } from './platform/write-file.js';

export interface WorkerSettings {
  resultsPath: string;
  /** Absent: what Temporal's own variables and config file say. */
  address?: string | undefined;
  /** The address is that of a given server. */
  external?: boolean | undefined;
  namespace?: string | undefined;
  queue?: string | undefined;
}

const CONNECT_MS = 60_000;

/** Runs a worker until SIGTERM or SIGINT. Agents that it has started go on; the next worker adopts them. */
export async function runWorker(settings: WorkerSettings): Promise<void> {
  const { id, folder } = projectState(settings.resultsPath);
  const given = loadClientConnectConfig();
  const namespace = settings.namespace ?? given.namespace ?? 'default';
  const { address } = settings;
  // TLS settings and keys of Temporal's own configuration are for a given server, never for the local one.
  const own = address === undefined || settings.external === true ? given.connectionOptions : {};
  const options = address === undefined ? own : { ...own, address };

  Runtime.install({
    logger: new DefaultLogger('WARN'),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
    },
  });
  const connection = await waitUntil(
    () => NativeConnection.connect(options).catch(() => null),
    CONNECT_MS,
    200,
  );
  if (connection === null)
    throw new Error(`Temporal at ${options.address ?? 'its default address'} does not answer`);

  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: settings.queue ?? taskQueueOf(id),
    activities: createActivities({ resultsPath: settings.resultsPath, stateFolder: folder }),
    workflowBundle: { codePath: packageFile('dist/workflow-bundle.js') },
    interceptors: { activity: [noteActivities(folder)] },
    // A dead worker's share of workflow tasks comes to us after so long.
    stickyQueueScheduleToStartTimeout: '2 seconds',
    // Agents mostly wait; how many run at once is the sweep's concern.
    maxConcurrentActivityTaskExecutions: 2 * MOST_AT_ONCE,
    // A cancel reaches an agent with a heartbeat's answer; of an agent that runs for minutes, heartbeats are what costs.
    maxHeartbeatThrottleInterval: '2 seconds',
    // What does not end by itself is left to the next worker: it is a second of work, or an agent under supervision.
    shutdownGraceTime: '1 second',
    shutdownForceTime: '5 seconds',
  });
  const ready = workerReadyFile(folder);
  await writeFileAtomic(ready, JSON.stringify(ownIdentity()), 0o600);
  const signs = showSignsOfLife(folder);
  try {
    const ended = worker.run();
    await giveUpLost(new Client({ connection, namespace }), folder);
    await ended;
  } finally {
    clearInterval(signs);
    await rm(ready, { force: true });
    await connection.close();
  }
}

/**
 * Notes every activity while it is performed, for the worker that comes after us should we be killed. Local ones are part
 * of a workflow task, which cannot be given up in a dead worker's name.
 */
const noteActivities =
  (stateFolder: string): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      execute(input, next) {
        const { workflowId, runId } = info.workflowExecution ?? {};
        if (info.isLocal || workflowId === undefined || runId === undefined) return next(input);
        const activity = { taskToken: info.base64TaskToken, workflowId, runId };
        return noteInflight(stateFolder, activity, () => next(input));
      },
    },
  });

/** The keeper ends a worker that is alive by the process table and yet does nothing: it would swallow its tasks. */
function showSignsOfLife(stateFolder: string): NodeJS.Timeout {
  const file = workerAliveFile(stateFolder);
  writeFileSync(file, '', { mode: 0o600 });
  return setInterval(() => {
    try {
      const now = new Date();
      utimesSync(file, now, now);
    } catch {
      // A disk that takes nothing for a while must not end what this worker follows.
    }
  }, 1000);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      results: { type: 'string' },
      address: { type: 'string' },
      external: { type: 'boolean' },
      namespace: { type: 'string' },
      queue: { type: 'string' },
    },
  });
  if (values.results === undefined) throw new Error('worker: --results FOLDER is missing');
  await runWorker({ ...values, resultsPath: values.results });
}
