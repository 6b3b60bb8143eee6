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
import type { Deps } from './activities/step/deps.js';
import { whileUnderWay } from './activities/watch/fail-orphaned-activities.js';
import { watchRuns, type Watch } from './activities/watch/watch-runs.js';
import { MAX_CONCURRENCY } from './lib/max-concurrency.js';
import { taskQueueOf, workerAliveFile, workerReadyFile } from './platform/engine/engine-state.js';
import { projectState } from './platform/folders.js';
import { namespaceId } from './platform/temporal/namespace-id.js';
import { packageFile } from './platform/package-info.js';
import { forgiveOutput } from './platform/process/forgive-output.js';
import { connectionProblem } from './platform/temporal/connection-problem.js';
import { ownIdentity } from './platform/process/process-identity.js';
import { waitUntil } from './platform/process/wait-until.js';
import { ownWorkerIdentity } from './platform/temporal/worker-identity.js';
import { originOf } from './store/origin.js';
import { writeFileAtomic } from './platform/fs/write-file.js';

export interface WorkerSettings {
  resultsPath: string;
  /** Absent: what Temporal's own variables and config file say. */
  address?: string | undefined;
  /** The address is that of a given server. */
  external?: boolean | undefined;
  namespace?: string | undefined;
  /** Id that the namespace has on the engine's server; absent for a given server. */
  namespaceId?: string | undefined;
  queue?: string | undefined;
}

const CONNECT_MS = 60_000;

/** Runs a worker until SIGTERM or SIGINT. Agents that it has started go on; the next worker adopts them. */
export async function runWorker(settings: WorkerSettings): Promise<void> {
  forgiveOutput();
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
    () =>
      NativeConnection.connect(options).catch((error: unknown) => {
        const reason = connectionProblem(error);
        if (reason !== null)
          throw new Error(`Temporal at ${options.address ?? 'its default address'}: ${reason}`);
        return null;
      }),
    CONNECT_MS,
    200,
  );
  if (connection === null)
    throw new Error(`Temporal at ${options.address ?? 'its default address'} does not answer`);

  const client = new Client({ connection, namespace });
  const server = settings.external === true ? `${options.address ?? ''}/${namespace}` : 'own';
  const isOwnServer = await serverCheck(client, settings);
  const deps: Deps = { resultsPath: settings.resultsPath, stateFolder: folder, server, isOwnServer };
  const watch = watchRuns(deps, client, (line) => console.error(line));
  // Here, where there is room on the disk: a command that comes later may find it full.
  await originOf({ resultsPath: settings.resultsPath, stateFolder: folder });
  const taskQueue = settings.queue ?? taskQueueOf(id);
  const worker = await Worker.create({
    connection,
    namespace,
    identity: ownWorkerIdentity(),
    taskQueue,
    activities: createActivities({ ...deps, endOthers: watch.lookAtOthers }),
    workflowBundle: { codePath: packageFile('dist/workflow-bundle.js') },
    interceptors: { activity: [noteActivities(watch)] },
    // A dead worker's share of workflow tasks comes to us after so long.
    stickyQueueScheduleToStartTimeout: '2 seconds',
    // Agents mostly wait; how many run at once is the sweep's concern.
    maxConcurrentActivityTaskExecutions: 2 * MAX_CONCURRENCY,
    // A step chooses when it heartbeats (activities/step/heartbeat.ts): every so often, and at once when its run is cancelled.
    maxHeartbeatThrottleInterval: '200 milliseconds',
    // What does not end by itself is left to the next worker: it is a second of work, or an agent under supervision.
    shutdownGraceTime: '1 second',
    shutdownForceTime: '5 seconds',
  });
  const ready = workerReadyFile(folder);
  await writeFileAtomic(ready, JSON.stringify(ownIdentity()), 0o600);
  const signs = showSignsOfLife(folder);
  try {
    const ended = worker.run();
    void watch.start(taskQueue);
    await ended;
  } finally {
    watch.stop();
    clearInterval(signs);
    await rm(ready, { force: true });
    await connection.close();
  }
}

/**
 * What tells our server from another one at its address: see Deps.isOwnServer.
 * @throws Error where another one answers already
 */
async function serverCheck(
  client: Client,
  { namespaceId: known, address }: WorkerSettings,
): Promise<() => Promise<boolean>> {
  const found = await namespaceId(client);
  const expected = known ?? found;
  const other = `another Temporal server is running at ${address ?? 'its default address'}`;
  if (found !== expected) throw new Error(other);
  let warned = false;
  return async () => {
    const id = await namespaceId(client).catch(() => null);
    if (id !== null && id !== expected && !warned) {
      warned = true;
      console.error(`${other}: what it does not know proves nothing`);
    }
    return id === expected;
  };
}

/** Knows of every activity that is performed. Local ones are part of a workflow task, which has a short timeout. */
const noteActivities =
  (watch: Watch): ActivityInterceptorsFactory =>
  (context) => ({
    inbound: {
      async execute(input, next) {
        const { isLocal, workflowExecution, activityId, attempt } = context.info;
        if (isLocal || workflowExecution === undefined) return next(input);
        const { workflowId, runId } = workflowExecution;
        try {
          return await whileUnderWay({ runId, activityId, attempt }, () => next(input));
        } finally {
          // The server does not know the step any more: its workflow may have been terminated.
          if (context.cancellationDetails?.notFound === true) void watch.look(workflowId);
        }
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
      'namespace-id': { type: 'string' },
      queue: { type: 'string' },
    },
  });
  if (values.results === undefined) throw new Error('worker: --results FOLDER is missing');
  await runWorker({ ...values, resultsPath: values.results, namespaceId: values['namespace-id'] });
}
