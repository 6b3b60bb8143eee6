import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Client,
  Connection,
  WorkflowFailedError,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  type WorkflowHandleWithFirstExecutionRunId,
} from '@temporalio/client';
import {
  bundleWorkflowCode,
  DefaultLogger,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import { CancelledFailure } from '@temporalio/common';
import { afterAll, beforeAll, inject, vi } from 'vitest';
import { otherActivities, type Activities } from '../../src/activities/create-activities.js';
import { SEARCH_ATTRIBUTES } from '../../src/lib/search-attributes.js';
import { writeFileAtomic } from '../../src/host/fs/write-file.js';
import { waitForLock } from '../../src/host/process/process-lock.js';
import type { Cell } from '../../src/model/records/cell.js';
import {
  hostQueueOf,
  placeQueueOf,
  sweepWorkflowId,
  WORKFLOWS,
  type RunInput,
  type RunResult,
  type SweepInput,
  SWEEP_ID,
} from '../../src/protocol/index.js';
import type { runScenario, runSweep } from '../../src/workflows/index.js';
import { runResultIn } from '../../src/protocol/visible-failures.js';
import { NO_CAPS, stubActivities, type Stubs } from './stub-activities.js';

export type RunHandle = WorkflowHandle<typeof runScenario>;
export type SweepHandle = WorkflowHandleWithFirstExecutionRunId<typeof runSweep>;

/** The objects that a test works with. */
interface Bench {
  /** A unique name for the sweep of this test; it is part of the ids of its workflows. */
  name: string;
  client: Client;
  taskQueue: string;
  startRun: (cell: Cell, more?: Partial<RunInput>) => Promise<RunHandle>;
  startSweep: (more?: Partial<SweepInput>) => Promise<SweepHandle>;
  /** The run of a cell in the sweep of this bench. */
  runOf: (cell: Cell, round?: number) => RunHandle;
  /** For workflows that have to wait for a worker: runs one until `until` has finished. */
  work: <T>(until: () => Promise<T>) => Promise<T>;
  /** The same for a sweep that places its runs on these hosts. */
  workOnHosts: <T>(hosts: readonly string[], until: () => Promise<T>) => Promise<T>;
}

const quiet = new DefaultLogger('ERROR');

const BUNDLE_MS = 120_000;
let bundle: Promise<WorkflowBundleOption> | undefined;

/**
 * The current workflows, bundled by the first process of the tests that needs them: bundling takes seconds of a
 * processor.
 */
export const bundleWorkflows = (): Promise<WorkflowBundleOption> => (bundle ??= sharedBundle());

async function sharedBundle(): Promise<WorkflowBundleOption> {
  const folder = inject('places');
  const codePath = join(folder, 'workflow-bundle.js');
  const lock = await waitForLock(folder, 'workflow-bundle', {
    timeoutMs: BUNDLE_MS,
    onWait: () => undefined,
  });
  if (lock === null) throw new Error('another process has not bundled the workflows in time');
  try {
    if (!existsSync(codePath)) await writeFileAtomic(codePath, await bundledCode());
  } finally {
    await lock.release();
  }
  return { codePath };
}

async function bundledCode(): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../src/workflows/index.ts', import.meta.url)),
    payloadConverterPath: fileURLToPath(new URL('../../src/workflows/converters.ts', import.meta.url)),
    logger: quiet,
  });
  return code;
}

/** Suppresses log lines about activities that fail on purpose. */
export const quietRuntime = (): Runtime =>
  Runtime.install({
    logger: quiet,
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }), forward: {} },
    },
  });

type OnBench = <T>(stubs: Stubs, test: (bench: Bench) => Promise<T>, options?: { idle?: boolean }) => Promise<T>;

/**
 * Connects the tests of a file to the server, with one worker for all of them: a worker for each test would take longer
 * than the tests. The returned function performs a test on the workflows of one sweep, with the stubs as its
 * activities. With `idle`, no worker serves the test until it calls `work`.
 */
export function useTemporal(): OnBench {
  const benches = new Map<string, Activities>();
  const common = randomUUID();
  let connection: Connection;
  let native: NativeConnection;
  let workflowBundle: WorkflowBundleOption;
  let worker: Worker;
  let working: Promise<void>;

  const createWorker = (taskQueue: string): Promise<Worker> =>
    Worker.create({
      connection: native,
      identity: 'test',
      taskQueue,
      workflowBundle,
      activities: bySweep(benches),
      maxHeartbeatThrottleInterval: '20 ms', // a cancel arrives with a heartbeat's answer
      shutdownForceTime: '5 seconds',
    });

  beforeAll(async () => {
    quietRuntime();
    const address = inject('temporalAddress');
    connection = await Connection.connect({ address });
    native = await NativeConnection.connect({ address });
    workflowBundle = await bundleWorkflows();
    worker = await createWorker(common);
    working = worker.run();
  });
  afterAll(async () => {
    worker.shutdown();
    await working;
    await native.close();
    await connection.close();
  });

  return async ({ activities }, test, { idle = false } = {}) => {
    const name = `test-${randomUUID().slice(0, 8)}`;
    benches.set(name, activities);
    const client = new Client({ connection, identity: 'test' });
    const taskQueue = idle ? name : common;
    return test({
      name,
      client,
      taskQueue,
      startRun: (cell, more = {}) =>
        client.workflow.start<typeof runScenario>(WORKFLOWS.run, {
          workflowId: `run/${name}/${cell.id}`,
          taskQueue,
          args: [{ sweep: name, cell, proof: 'of the run', ...more }],
        }),
      startSweep: (more = {}) =>
        client.workflow.start<typeof runSweep>(WORKFLOWS.sweep, {
          workflowId: sweepWorkflowId(name),
          taskQueue,
          args: [{ sweep: name, round: 1, concurrency: 2, caps: NO_CAPS, proof: 'of the start', ...more }],
          typedSearchAttributes: [{ key: SWEEP_ID, value: name }],
        }),
      runOf: ({ id }, round = 1) => client.workflow.getHandle(`sweep/${name}/${id}/r${round}`),
      work: async (until) => (await createWorker(taskQueue)).runUntil(until),
      workOnHosts: (hosts, until) =>
        [taskQueue, placeQueueOf(taskQueue), ...hosts.map((host) => hostQueueOf(taskQueue, host))].reduce(
          (inner, queue) => async () => (await createWorker(queue)).runUntil(inner),
          until,
        )(),
    });
  };
}

/** The first argument of every activity names its sweep, or the schedule. */
function bySweep(benches: ReadonlyMap<string, Activities>): Activities & Record<'default', unknown> {
  const route = (name: string) => [
    name,
    (input: { sweep: string } | { schedule: string }, ...more: unknown[]): unknown => {
      const of = 'sweep' in input ? input.sweep : input.schedule;
      const activities = benches.get(of);
      if (activities === undefined) throw new Error(`no test has the sweep ${of}`);
      return (activities[name as keyof Activities] as (...args: unknown[]) => unknown)(input, ...more);
    },
  ];
  const routed = Object.fromEntries(Object.keys(stubActivities().activities).map(route)) as Activities;
  return { ...routed, default: otherActivities(routed) };
}

/** The result of a run, whose workflow fails if the run does not pass. */
export const resultOf = (handle: RunHandle): Promise<RunResult> =>
  handle.result().catch((error: unknown) => {
    const result = runResultIn(error);
    if (result !== null) return result;
    const { cause } = error as Error;
    if (!(error instanceof WorkflowFailedError && cause instanceof CancelledFailure)) throw error;
    return { outcome: 'cancelled', message: cause.message, costUsd: null };
  });

/** Our search attributes of a workflow, by name. */
export const attributesOf = ({ typedSearchAttributes }: WorkflowExecutionDescription): Record<string, unknown> =>
  Object.fromEntries(
    typedSearchAttributes
      .getAll()
      .filter(({ key }) => key.name in SEARCH_ATTRIBUTES)
      .map(({ key, value }) => [key.name, value]),
  );

/** Waits until the assertions of `check` hold. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 120_000, interval: 20 });
