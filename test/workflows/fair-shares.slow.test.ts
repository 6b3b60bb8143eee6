import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fairnessKey } from '../../src/engine/fairness-key.js';
import { findTemporal } from '../../src/engine/find-temporal.js';
import { anyFreePort, LOOPBACK } from '../../src/engine/server.js';
import { placeQueueOf, type SweepInput, sweepWorkflowId, WORKFLOWS } from '../../src/protocol/index.js';
import { bundleWorkflows, quietRuntime } from './harness.js';
import { cell, NO_CAPS, pagesOf, stubActivities } from './stub-activities.js';

/* A server with fairness, as specs/how-to/many-machines.md describes it, and two hosts with two slots each. */

const QUEUE = 'fair';
const SETTINGS = [
  ...['matching.useNewMatcher=true', 'matching.enableFairness=true'],
  ...['matching.numTaskqueueReadPartitions=1', 'matching.numTaskqueueWritePartitions=1'],
];
/** Owners with 1 to 6 sweeps and 60 to 140 cells, 2,000 cells in all. The server would refuse keys over 64 bytes. */
const OWNERS = Array.from({ length: 20 }, (_, index) => ({
  name:
    index === 7 ? 'a very long name, of which the server would refuse more than sixty-four bytes' : `owner ${index}`,
  cells: Array.from({ length: (index % 6) + 1 }, (_sweep, sweep, count = (index % 6) + 1) => {
    const all = 60 + Math.round((index * 80) / 19);
    return Math.floor(((sweep + 1) * all) / count) - Math.floor((sweep * all) / count);
  }),
}));
const SEEKING = 8;
/** Shares are compared each time that so many cells have got a slot. */
const WINDOW = 200;

let folder: string;
let address: string;
let server: ChildProcess;
let connection: Connection;
let native: NativeConnection;

beforeAll(async () => {
  quietRuntime();
  folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-fair-'));
  const port = await anyFreePort();
  address = `${LOOPBACK}:${port}`;
  const { path } = await findTemporal(() => undefined);
  server = spawn(
    path,
    [
      ...['server', 'start-dev', '--headless', '--ip', LOOPBACK, '--port', String(port), '--log-level', 'error'],
      ...['--db-filename', join(folder, 'temporal.db')],
      ...SETTINGS.flatMap((setting) => ['--dynamic-config-value', setting]),
    ],
    { stdio: 'ignore' },
  );
  connection = await connected();
  native = await NativeConnection.connect({ address });
}, 120_000);

afterAll(async () => {
  await native.close();
  await connection.close();
  server.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function connected(): Promise<Connection> {
  for (;;)
    try {
      const found = await Connection.connect({ address, connectTimeout: 1000 });
      await found.workflowService.describeNamespace({ namespace: 'default' });
      return found;
    } catch {
      await sleep(200);
    }
}

test('twenty owners get the same share of two hosts, however many sweeps they have', { timeout: 400_000 }, async () => {
  const sweeps = OWNERS.flatMap(({ name, cells }, owner) =>
    cells.map((count, index) => ({ id: `${owner}-${index}`, name, count })),
  );
  const countOf = new Map(sweeps.map(({ id, count }) => [id, count]));
  const stubs = stubActivities({
    loadCells: (wanted) =>
      pagesOf(
        Array.from({ length: countOf.get(wanted.sweep) ?? 0 }, (_, index) =>
          cell(index + 1, { id: `n/mock/m${index % 2}/default/${index}`, model: `m${index % 2}` }),
        ),
      )(wanted),
  });
  const bundle = await bundleWorkflows();
  const sweeper = await Worker.create({
    ...{ connection: native, taskQueue: QUEUE, workflowBundle: bundle },
    activities: stubs.activities,
  });
  const client = new Client({ connection });
  /** The number of the owner of each cell that got a slot. */
  const placed: number[] = [];
  const sweeping = sweeper.run();
  const handles = [];
  for (const { id, name } of sweeps) {
    const input: SweepInput = {
      ...{ sweep: id, proof: 'p', round: 1, concurrency: SEEKING, caps: NO_CAPS, placed: true },
    };
    handles.push(
      await client.workflow.start(WORKFLOWS.sweep, {
        workflowId: sweepWorkflowId(id),
        taskQueue: QUEUE,
        args: [input],
        priority: { fairnessKey: fairnessKey(name) },
      }),
    );
  }
  // Every sweep seeks as many hosts at once as it may: only then is there something to share.
  for (const handle of handles)
    while (((await handle.describe()).raw.pendingActivities?.length ?? 0) < SEEKING) await sleep(100);
  // A process may have one worker of a queue for each connection.
  const second = await NativeConnection.connect({ address });
  const hosts = await Promise.all(
    [native, second].map((of) =>
      Worker.create({
        ...{ connection: of, taskQueue: placeQueueOf(QUEUE), maxConcurrentActivityTaskExecutions: 2 },
        activities: {
          placeCell: async ({ sweep }: { sweep: string }) => {
            placed.push(Number(sweep.split('-')[0]));
            await sleep(50); // a run that holds its slot
            throw ApplicationFailure.nonRetryable('this host only counts', 'NoHost');
          },
        },
      }),
    ),
  );
  const placing = hosts.map((host) => host.run());
  await Promise.all(handles.map((handle) => handle.result()));
  for (const worker of [...hosts, sweeper]) worker.shutdown();
  await Promise.all([...placing, sweeping]);
  await second.close();

  const sharesOf = (of: readonly number[]): number[] =>
    OWNERS.map((_, owner) => of.filter((one) => one === owner).length);
  const totals = OWNERS.map(({ cells }) => cells.reduce((sum, count) => sum + count, 0));
  expect(sharesOf(placed)).toEqual(totals);
  const hasWaiting = (upTo: number): boolean =>
    sharesOf(placed.slice(0, upTo)).every((share, owner) => share < (totals[owner] ?? 0));
  const points = Array.from({ length: placed.length / WINDOW }, (_, index) => (index + 1) * WINDOW).filter(hasWaiting);
  const unfair = (shares: readonly number[]): number => {
    const fair = shares.reduce((sum, share) => sum + share, 0) / OWNERS.length;
    return Math.max(...shares.map((share) => Math.abs(share - fair) / fair));
  };
  const all = points.map((point) => unfair(sharesOf(placed.slice(0, point))));
  const last = points.map((point) => unfair(sharesOf(placed.slice(point - WINDOW, point))));
  console.log(
    `farthest from the fair share after ${points.join(', ')} cells: ${all.join(', ')}; of the last: ${last.join(', ')}`,
  );
  expect(points.length).toBeGreaterThanOrEqual(4);
  for (const share of [...all, ...last]) expect(share).toBeLessThanOrEqual(0.1);
});
