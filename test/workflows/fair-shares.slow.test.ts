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

/* A server with fairness, as specs/how-to/many-machines.md describes it, and one host with two slots. */

const QUEUE = 'fair';
const SETTINGS = [
  ...['matching.useNewMatcher=true', 'matching.enableFairness=true'],
  ...['matching.numTaskqueueReadPartitions=1', 'matching.numTaskqueueWritePartitions=1'],
];
/** The number of sweeps of each owner; every sweep has cells for the whole test. */
const SWEEPS = { ann: 6, bob: 1, 'a very long name, of which the server would refuse more than sixty-four bytes': 2 };
const PLACED = 90;
const CELLS = 40;

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

test('owners get the same share of a host, however many sweeps they have', { timeout: 240_000 }, async () => {
  const cells = Array.from({ length: CELLS }, (_, index) =>
    cell(index + 1, { id: `n/mock/m${index % 2}/default/${index}`, model: `m${index % 2}` }),
  );
  const stubs = stubActivities({ loadCells: pagesOf(cells) });
  const bundle = await bundleWorkflows();
  const sweeper = await Worker.create({
    ...{ connection: native, taskQueue: QUEUE, workflowBundle: bundle },
    activities: stubs.activities,
  });
  const client = new Client({ connection });
  const handles = [];
  const placed: string[] = [];
  const isOver = (): boolean => placed.length >= PLACED;
  const sweeping = sweeper.run();
  for (const [owner, count] of Object.entries(SWEEPS))
    for (let index = 0; index < count; index += 1) {
      const sweep = `${owner.slice(0, 3)}-${index}`;
      const input: SweepInput = {
        ...{ sweep, proof: 'p', round: 1, concurrency: 8, caps: NO_CAPS, placed: true },
      };
      handles.push(
        await client.workflow.start(WORKFLOWS.sweep, {
          workflowId: sweepWorkflowId(sweep),
          taskQueue: QUEUE,
          args: [input],
          priority: { fairnessKey: fairnessKey(owner) },
        }),
      );
    }
  // Every sweep seeks as many hosts at once as it may: only then is there something to share.
  for (const handle of handles)
    while (((await handle.describe()).raw.pendingActivities?.length ?? 0) < 8) await sleep(100);
  const host = await Worker.create({
    ...{ connection: native, taskQueue: placeQueueOf(QUEUE), maxConcurrentActivityTaskExecutions: 2 },
    activities: {
      placeCell: async ({ sweep }: { sweep: string }) => {
        placed.push(sweep.slice(0, 3));
        if (!isOver()) await sleep(100); // a run that holds its slot
        throw ApplicationFailure.nonRetryable('this host only counts', 'NoHost');
      },
    },
  });
  const placing = host.run();
  while (!isOver()) await sleep(50);
  host.shutdown();
  sweeper.shutdown();
  await Promise.all([placing, sweeping]);
  const owners = Object.keys(SWEEPS).map((owner) => owner.slice(0, 3));
  const fair = PLACED / owners.length;
  const shares = owners.map((owner) => placed.slice(0, PLACED).filter((one) => one === owner).length);
  console.log(`shares of ${owners.join(', ')}: ${shares.join(', ')}`);
  for (const share of shares) expect(Math.abs(share - fair)).toBeLessThanOrEqual(fair / 10);
});
