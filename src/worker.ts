import { utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@temporalio/client';
import { type ActivityInterceptorsFactory, NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import {
  createActivities,
  createHosting,
  createHostWorkers,
  type Deps,
  otherActivities,
  type Watch,
  watchRuns,
  whileUnderWay,
} from '#activities';
import {
  CODEC_KEYS,
  connectionOptions,
  connectionProblem,
  type HostSettings,
  installRuntime,
  loadTemporalConfig,
  namespaceId,
  ownWorkerIdentity,
  readEngineState,
  taskQueueOf,
  type TemporalAddress,
  tracesOf,
  untilCredentialsChange,
  workerAliveFile,
  workerPayloads,
  workerReadyFile,
} from '#engine';
import {
  createMemory,
  ignoreOutputErrors,
  type Memory,
  ownIdentity,
  projectState,
  waitUntil,
  workerEnvironment,
  writeFileAtomic,
} from '#host';
import { defined, type Limits, limitsOf, MAX_CONCURRENCY, UsageError } from '#lib';
import { createPricer } from '#model';
import { WORKFLOWS } from '#protocol';
import { localLimits, originKey, sharedLimits } from '#store';

export interface WorkerSettings {
  resultsPath: string;
  /** If absent, Temporal's own variables and config file determine it. */
  address?: string | undefined;
  /** True if the address is that of an external server. */
  external?: boolean | undefined;
  namespace?: string | undefined;
  /** Id of the namespace on the engine's own server. Absent for an external server. */
  namespaceId?: string | undefined;
  /** True if the engine's own server is being started, so that the id is unknown. */
  serverStarts?: boolean | undefined;
  queue?: string | undefined;
  /** Set if the worker is a host of shared results, whose mirror `resultsPath` is. */
  host?: HostSettings | undefined;
}

const DEFAULT_ADDRESS = 'localhost:7233';
const CONNECT_POLL_MS = 50;
const STATE_POLL_MS = 20;

/**
 * Runs a worker until SIGTERM or SIGINT. Agents that it has started keep running, and the next worker adopts them.
 *
 * @throws Error if the server does not answer, or another server answers at the address of the engine's own
 */
export function runWorker(settings: WorkerSettings): Promise<void> {
  const memory = createMemory();
  return memory.during(() => work(settings, memory));
}

async function work(settings: WorkerSettings, memory: Memory): Promise<void> {
  ignoreOutputErrors();
  const limits = limitsOf(process.env);
  const { id, folder } = projectState(settings.resultsPath);
  const given = loadTemporalConfig();
  const namespace = settings.namespace ?? given.namespace ?? 'default';
  const isExternal = settings.address === undefined || settings.external === true;
  const options = connectionOptions({
    address: settings.address ?? given.connectionOptions.address ?? DEFAULT_ADDRESS,
    external: isExternal,
  });

  const payloads = workerPayloads();
  const traces = await tracesOf(process.env, (line) => {
    console.error(line);
  });
  const metrics = installRuntime(process.env['LLM_TOOL_TEST_METRICS'], [WORKFLOWS.run]);
  const namespaceIdOf = settings.serverStarts === true ? await idOfNewServer(folder, limits) : settings.namespaceId;
  const connection = await waitUntil(
    () =>
      NativeConnection.connect(options).catch((error: unknown) => {
        const reason = connectionProblem(error);
        if (reason !== null) throw new Error(`Temporal at ${options.address}: ${reason}`);
        return null;
      }),
    limits.workerConnectMs,
    CONNECT_POLL_MS,
  );
  if (connection === null) throw new Error(`Temporal at ${options.address} does not answer`);

  const client = new Client({ connection, namespace, dataConverter: payloads.dataConverter ?? {} });
  const server = settings.external === true ? `${options.address}/${namespace}` : 'own';
  const isOwnServer = await serverCheck(client, { ...settings, namespaceId: namespaceIdOf });
  const taskQueue = settings.queue ?? taskQueueOf(id);
  const hosting =
    settings.host === undefined
      ? null
      : await createHosting({
          ...settings.host,
          resultsPath: settings.resultsPath,
          stateFolder: folder,
          taskQueue,
          server,
        });
  const deps: Deps = {
    resultsPath: settings.resultsPath,
    stateFolder: folder,
    server,
    isOwnServer,
    environment: workerEnvironment({ envFile: settings.host?.envFile ?? undefined }),
    // Both paths are absolute.
    hidden: [settings.host?.envFile ?? '', process.env[CODEC_KEYS] ?? ''].filter((file) => file !== ''),
    limits,
    providerLimits: hosting === null ? localLimits(folder) : sharedLimits(hosting.store),
    ...(hosting === null ? {} : { host: hosting.host }),
    ...defined({ metrics, traces }),
  };
  const watch = watchRuns(deps, client, (line) => console.error(line));
  // Creates the key now, because the disk may be full when a later command needs it.
  await originKey({ resultsPath: settings.resultsPath, stateFolder: folder });
  const activities = createActivities({ ...deps, endOthers: watch.lookAtOthers }, memory);
  const common: WorkerOptions = {
    connection,
    namespace,
    identity: ownWorkerIdentity(hosting?.host.identity),
    taskQueue,
    activities: { ...activities, default: otherActivities(activities) },
    ...payloads,
    interceptors: { activity: [noteActivities(watch)] },
    // After this time, we get the workflow tasks of a dead worker.
    stickyQueueScheduleToStartTimeout: '2 seconds',
    // Agents mostly wait, and the sweep limits how many run at once.
    maxConcurrentActivityTaskExecutions: 2 * MAX_CONCURRENCY,
    // Short, because steps decide when to heartbeat (activities/step/heartbeat.ts): at intervals, and at once when
    // their run is cancelled.
    maxHeartbeatThrottleInterval: '200 milliseconds',
    // Activities that do not end by then are left to the next worker: a second of work, or an agent under supervision.
    shutdownGraceTime: '1 second',
    shutdownForceTime: '5 seconds',
  };
  const workers = hosting === null ? [await Worker.create(common)] : await createHostWorkers(common, hosting.host);
  const ready = workerReadyFile(folder);
  await writeFileAtomic(ready, JSON.stringify(ownIdentity()), 0o600);
  const signs = showSignsOfLife(folder);
  const watching = new AbortController();
  try {
    const ended = Promise.all(workers.map((worker) => worker.run()));
    void watch.start(...(hosting === null ? [] : [hosting.host.queue]), taskQueue);
    if (isExternal) void endWhenCredentialsChange(workers, { ...options, namespace }, limits, watching.signal);
    const hosted = hosting?.begin(client, metrics);
    // Loads the price list now, because the first run would have to wait for it. A run that needs it reports a failure.
    createPricer({}).catch(() => undefined);
    await ended;
    await hosted?.end();
  } finally {
    watching.abort();
    watch.stop();
    clearInterval(signs);
    await rm(ready, { force: true });
    await traces?.close();
    await connection.close();
  }
}

/** Waits until the keeper has seen an answer of the server that it starts. */
async function idOfNewServer(folder: string, { workerConnectMs }: Limits): Promise<string> {
  const id = await waitUntil(
    async () => (await readEngineState(folder))?.namespaceId ?? null,
    workerConnectMs,
    STATE_POLL_MS,
  );
  if (id === null) throw new Error('the Temporal server of the engine was not started in time');
  return id;
}

/** The keeper starts the next worker, which connects with the new credentials. */
async function endWhenCredentialsChange(
  workers: readonly Worker[],
  { address, namespace }: Pick<TemporalAddress, 'address' | 'namespace'>,
  { credentialsMs }: Limits,
  signal: AbortSignal,
): Promise<void> {
  const to = { address, namespace, external: true };
  if (
    !(await untilCredentialsChange(to, {
      signal,
      everyMs: credentialsMs,
      warn: (line) => console.error(line),
    }))
  )
    return;
  console.error('the credentials for the Temporal server were replaced; the worker starts again with them');
  for (const worker of workers) worker.shutdown();
}

/**
 * Returns a check that tells our server from another one at its address; see `Deps.isOwnServer`.
 *
 * @throws Error if another server is already answering
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
      console.error(`${other}; ignoring that it does not know our workflows`);
    }
    return id === expected;
  };
}

/**
 * Registers activities while they run. Ignores local ones: they are part of a workflow task, which has a short timeout.
 */
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
          // The server no longer knows the step, so its workflow may have been terminated.
          if (context.cancellationDetails?.notFound === true) void watch.look(workflowId);
        }
      },
    },
  });

/**
 * Touches a file every second. The keeper ends a worker whose process is alive but no longer does this, because it
 * would receive tasks without performing them.
 */
function showSignsOfLife(stateFolder: string): NodeJS.Timeout {
  const file = workerAliveFile(stateFolder);
  writeFileSync(file, '', { mode: 0o600 });
  return setInterval(() => {
    try {
      const now = new Date();
      utimesSync(file, now, now);
    } catch {
      // A disk that cannot be written for a while must not end the worker, which supervises agents.
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
      'server-starts': { type: 'boolean' },
      queue: { type: 'string' },
      host: { type: 'string' },
    },
  });
  if (values.results === undefined) throw new Error('worker: --results FOLDER is missing');
  const host = values.host === undefined ? undefined : (JSON.parse(values.host) as HostSettings);
  const { results: resultsPath } = values;
  const { 'namespace-id': namespaceId, 'server-starts': serverStarts } = values;
  await runWorker({ ...values, host, resultsPath, namespaceId, serverStarts }).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    // The keeper shows the end of the log.
    console.error(`error: ${error.message}`);
    process.exit(2);
  });
}
