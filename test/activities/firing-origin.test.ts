import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { Client } from '@temporalio/client';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createActivities, type Activities } from '../../src/activities/create-activities.js';
import { sha256 } from '../../src/lib/hash.js';
import { proveSchedule, proveTrigger } from '../../src/host/security/origin.js';
import type { StoredSchedule } from '../../src/scenario/plan.js';
import { originKey } from '../../src/store/origin.js';
import { sweepsFolder } from '../../src/store/results-folder.js';
import {
  objectsOf,
  type ObjectStore,
  readFiring,
  removeSettings,
  scheduleObject,
  storeSettings,
  triggersFolder,
} from '../../src/store/schedules/schedule-files.js';
import { scheduleId, type PlannedFiring } from '../../src/protocol/index.js';
import { newFolder } from '../host/temporary.js';
import { cell } from '../workflows/stub-activities.js';
import { inActivity, isOwnServer } from './in-activity.js';

/** The power of anybody who reaches Temporal's ports over a schedule that a command has created. */
const HOUR_MS = 3600_000;
/** A time of the schedule below. */
const DUE = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;

const stored: StoredSchedule = {
  schema_version: 1,
  schedule: 'nightly',
  created_at: new Date(DUE - 24 * HOUR_MS).toISOString(),
  when: { every_secs: 3600 },
  overlap: 'skip',
  jitter_secs: 0,
  catch_up_secs: 3600,
  fail_on: 'failed',
  junit: null,
  webhook: null,
  env_file: null,
  variables: [],
  plan: {
    schema_version: 1,
    concurrency: 1,
    cache: true,
    max_usd: null,
    agents: {},
    project: null,
    hidden: [],
    sandbox: { required: false, allow_loopback: [] },
    caps: { agents: {}, models: {} },
    prices: {},
    providers: {},
    cells: [cell(1)],
    scenarios: [{ name: 'notes', variant: 'default', file: 'x.yaml', path: '/x.yaml', hash: 'h' }],
  },
};

let resultsPath: string;
let stateFolder: string;
let activities: Activities;
let objects: ObjectStore;

beforeEach(async () => {
  const folder = await newFolder();
  [resultsPath, stateFolder] = [join(folder, 'results'), join(folder, 'state')];
  activities = createActivities({ resultsPath, stateFolder, isOwnServer });
  objects = await objectsOf(resultsPath);
});

const keyOf = () => originKey({ resultsPath, stateFolder });

/** Stores the schedule as a command does. Returns the proof that its firings carry. */
async function create(more: Partial<StoredSchedule> = {}): Promise<{ proof: string; hash: string }> {
  const text = JSON.stringify({ ...stored, ...more });
  await objects.put(scheduleObject('nightly'), text);
  const hash = sha256(text);
  return { proof: proveSchedule(await keyOf(), { schedule: 'nightly', hash }), hash };
}

/** Replaces the schedule as a command does. */
const replaced = (more: Partial<StoredSchedule> = {}): Promise<void> =>
  storeSettings(objects, 'nightly', JSON.stringify({ ...stored, ...more }));

const workflowAt = (at: number, project = 'p'): string =>
  `${scheduleId(project, 'nightly')}-${new Date(at).toISOString().slice(0, 19)}Z`;

/** A server that knows all workflows. */
const knowing = {
  withAbortSignal: (_signal: AbortSignal, ask: () => unknown) => ask(),
  workflow: { getHandle: () => ({ describe: () => Promise.resolve({}) }) },
} as unknown as Client;

const plan = (proof: string, at: number, execution = 'one'): Promise<PlannedFiring> =>
  inActivity(workflowAt(at), () => activities.planScheduled({ schedule: 'nightly', proof, execution }), knowing);

const refusal = (why: string): object => ({
  type: 'NotOurs',
  nonRetryable: true,
  message: expect.stringContaining(why) as string,
});
const planned = async (): Promise<string[]> =>
  existsSync(sweepsFolder(resultsPath)) ? readdir(sweepsFolder(resultsPath)) : [];

test('a firing at a time of the schedule plans one sweep, also if its activity is repeated', async () => {
  const { proof } = await create();
  const first = await plan(proof, DUE);
  expect(first.sweep?.sweep).toMatch(/^nightly-\d{8}-\d{6}-[0-9a-f]{8}$/);
  expect((await plan(proof, DUE)).sweep?.sweep).toEqual(first.sweep?.sweep);
  expect(await planned()).toEqual([first.sweep?.sweep]);
});

test('another workflow cannot use the time of a firing again', async () => {
  const { proof } = await create();
  await plan(proof, DUE);
  await expect(plan(proof, DUE, 'two')).rejects.toMatchObject(refusal('has already had its firing'));
  expect(await planned()).toHaveLength(1);
});

test('no sweep starts at other times than those of the schedule', async () => {
  const { proof } = await create();
  await expect(plan(proof, DUE - 60_000)).rejects.toMatchObject(refusal('this is not one of its times'));
  await expect(plan(proof, DUE + 2 * HOUR_MS)).rejects.toMatchObject(refusal('not that of a firing'));
  await expect(plan(proof, DUE - 25 * HOUR_MS)).rejects.toMatchObject(refusal('not that of a firing'));
  expect(await planned()).toEqual([]);
});

test('a firing that is more than a day late is refused', async () => {
  const { proof } = await create({ created_at: '2026-01-01T00:00:00.000Z' });
  await expect(plan(proof, DUE - 30 * HOUR_MS)).rejects.toMatchObject(refusal('hours late'));
});

test('a forged proof, and settings that were changed since, are refused', async () => {
  const { proof } = await create();
  await expect(plan('0'.repeat(64), DUE)).rejects.toMatchObject(refusal('was not created by the command line'));
  await create({ plan: { ...stored.plan, concurrency: 64 } });
  await expect(plan(proof, DUE)).rejects.toMatchObject(refusal('its settings have changed'));
  expect(await planned()).toEqual([]);
});

/** A server for webhooks that is not ready for the first ones. Adds what it receives to `received`. */
async function receiver(notReady: number, received: unknown[]): Promise<string> {
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      received.push(body);
      response.writeHead(received.length > notReady ? 200 : 503).end();
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['replaced', () => replaced({ fail_on: 'worse' })],
  ['replaced by one without a webhook', () => replaced()],
  ['replaced twice', () => replaced().then(() => replaced({ fail_on: 'worse' }))],
  ['deleted', () => removeSettings(objects, 'nightly')],
])('the night of a schedule that is %s meanwhile is reported and sent', async (_, change) => {
  const received: unknown[] = [];
  const URL_OF_CHAT = await receiver(1, received);
  activities = createActivities({
    resultsPath,
    stateFolder,
    isOwnServer,
    environment: () => ({ URL_OF_CHAT }),
  });
  const { proof } = await create({ webhook: 'URL_OF_CHAT' });
  const first = await plan(proof, DUE);
  const ref = { schedule: 'nightly', proof, execution: 'one', firing: first.firing };
  await change();
  // Also if the first attempt was lost with its worker.
  expect((await plan(proof, DUE)).sweep?.sweep).toBe(first.sweep?.sweep);
  const reported = () => readFiring(objects, 'nightly', first.firing);
  const inFiring = <T>(perform: () => Promise<T>) => inActivity(workflowAt(DUE), perform);
  expect(await inFiring(() => activities.reportScheduled({ ...ref, status: 'cancelled' }))).toEqual({
    exitCode: 130,
    webhook: true,
  });
  await expect(inFiring(() => activities.sendWebhook(ref))).rejects.toMatchObject({ type: 'Webhook' });
  await change();
  await inFiring(() => activities.sendWebhook(ref));
  expect(received).toMatchObject([{}, { firing: first.firing, status: 'cancelled' }]);
  expect(await reported()).toMatchObject({ status: 'cancelled', webhook: 'sent' });
  // No other firing begins with these settings.
  await expect(plan(proof, DUE, 'two')).rejects.toMatchObject({ type: 'NotOurs' });
  await expect(plan(proof, DUE - HOUR_MS, 'two')).rejects.toMatchObject({ type: 'NotOurs' });
});

test('settings that were replaced are kept for a month', async () => {
  const folder = 'schedules/nightly/replaced';
  const daysAgo = (days: number): string => `${Date.now() - days * 24 * HOUR_MS}-${'0'.repeat(64)}.json`;
  const [old, newer] = [daysAgo(31), daysAgo(29)];
  for (const name of [old, newer]) await objects.put(`${folder}/${name}`, '{}');
  const { hash } = await create();
  await replaced();
  expect(await objects.list(folder)).toEqual([newer, expect.stringContaining(hash)]);
});

test('settings that were altered after they were replaced are refused', async () => {
  const { proof, hash } = await create({ webhook: 'URL_OF_CHAT' });
  const { firing } = await plan(proof, DUE);
  await replaced();
  const [name = ''] = await objects.list('schedules/nightly/replaced');
  expect(name).toContain(hash);
  await objects.put(`schedules/nightly/replaced/${name}`, JSON.stringify(stored));
  const ref = { schedule: 'nightly', proof, execution: 'one', firing };
  await expect(
    inActivity(workflowAt(DUE), () => activities.reportScheduled({ ...ref, status: 'cancelled' })),
  ).rejects.toMatchObject(refusal('its settings have changed'));
});

test('a workflow of another name, and a schedule that was deleted, are refused', async () => {
  const { proof } = await create();
  const ref = { schedule: 'nightly', proof, execution: 'one' };
  await expect(inActivity('my-workflow', () => activities.planScheduled(ref))).rejects.toMatchObject(
    refusal('not started by the schedule'),
  );
  await objects.remove(scheduleObject('nightly'));
  await expect(plan(proof, DUE)).rejects.toMatchObject(refusal('no such schedule'));
});

test('each order of trigger allows one firing, at any time', async () => {
  const { proof, hash } = await create();
  const order = `${Date.now()}-abc`;
  const at = DUE - 1000;
  await objects.put(
    `${triggersFolder('nightly')}/${order}`,
    proveTrigger(await keyOf(), { schedule: 'nightly', hash }, order),
  );
  const first = await plan(proof, at);
  expect((await plan(proof, at)).sweep?.sweep).toEqual(first.sweep?.sweep);
  await expect(plan(proof, at - 1000, 'two')).rejects.toMatchObject(refusal('no command has triggered it'));
  expect(await readFiring(objects, 'nightly', first.firing)).toMatchObject({ triggered: true });
});

test.each([
  ['at a time of the schedule', DUE, 1],
  ['at another time', DUE - 1000, 2],
])('orders given in the same second, %s, allow as many firings', async (_, at, orders) => {
  const { proof, hash } = await create();
  for (const order of ['a', 'b'].slice(0, orders).map((name) => `${Date.now()}-${name}`))
    await objects.put(
      `${triggersFolder('nightly')}/${order}`,
      proveTrigger(await keyOf(), { schedule: 'nightly', hash }, order),
    );
  const sweepOf = async (execution: string) => (await plan(proof, at, execution)).sweep?.sweep;
  const sweeps = [await sweepOf('one'), await sweepOf('two')];
  expect(new Set(sweeps).size).toBe(2);
  // Also if their activities are repeated.
  expect([await sweepOf('one'), await sweepOf('two')]).toEqual(sweeps);
  await expect(plan(proof, at, 'three')).rejects.toMatchObject({ type: 'NotOurs' });
  expect(await planned()).toHaveLength(2);
});

test('a forged order of trigger, and one of other settings, allow nothing', async () => {
  const { proof } = await create();
  const order = `${Date.now()}-abc`;
  const name = `${triggersFolder('nightly')}/${order}`;
  const other = proveTrigger(await keyOf(), { schedule: 'nightly', hash: 'other' }, order);
  for (const forged of ['0'.repeat(64), other]) {
    await objects.put(name, forged);
    await expect(plan(proof, DUE - 60_000)).rejects.toMatchObject(refusal('no command has triggered it'));
  }
});

test('a file of variables that is gone ends the firing with exit code 3 and the reason', async () => {
  const { proof } = await create({ env_file: '/nowhere/keys.env' });
  const ref = { schedule: 'nightly', proof, execution: 'one' };
  const { firing, sweep } = await plan(proof, DUE);
  expect(sweep).toBeNull();
  await inActivity(workflowAt(DUE), () => activities.reportScheduled({ ...ref, firing, status: 'not started' }));
  expect(await readFiring(objects, 'nightly', firing)).toMatchObject({
    sweep: null,
    status: 'not started',
    exit_code: 3,
    reasons: [expect.stringContaining('/nowhere/keys.env') as string],
  });
  expect(await planned()).toEqual([]);
});

test('only the workflow of a firing reports its result', async () => {
  const { proof } = await create();
  const { firing } = await plan(proof, DUE);
  const ref = { schedule: 'nightly', proof, execution: 'two' };
  const report = inActivity(workflowAt(DUE), () => activities.reportScheduled({ ...ref, firing, status: 'completed' }));
  await expect(report).rejects.toMatchObject(refusal('no record of this firing'));
});
