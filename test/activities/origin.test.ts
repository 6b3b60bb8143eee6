import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { beforeEach, expect, test } from 'vitest';
import { createActivities, type Activities } from '../../src/activities/create-activities.js';
import { proveOrder, proveSignal } from '../../src/host/security/origin.js';
import type { Plan } from '../../src/scenario/plan.js';
import { originKey } from '../../src/store/origin.js';
import { planFile, storeFolder } from '../../src/store/results-folder.js';
import {
  runWorkflowId,
  sweepWorkflowId,
  type CellPage,
  type RunRef,
  type SweepOrigin,
} from '../../src/protocol/index.js';
import { inActivity, isOwnServer } from './in-activity.js';
import { ordered as orderedIn } from './proofs.js';
import { newFolder } from '../host/temporary.js';
import { cell } from '../workflows/stub-activities.js';

const of = cell(1);
const plan: Plan = {
  schema_version: 1,
  sweep: 's',
  created_at: '',
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
  cells: [of],
  scenarios: [{ name: of.scenario, variant: 'default', file: 'x.yaml', path: '/x.yaml', hash: 'h' }],
};

let resultsPath: string;
let stateFolder: string;
let activities: Activities;

beforeEach(async () => {
  const folder = await newFolder();
  [resultsPath, stateFolder] = [join(folder, 'results'), join(folder, 'state')];
  activities = createActivities({ resultsPath, stateFolder, isOwnServer });
});

async function writePlan(more: Partial<Plan> = {}): Promise<void> {
  await mkdir(dirname(planFile(resultsPath, 's')), { recursive: true });
  await mkdir(storeFolder(resultsPath), { recursive: true });
  await writeFile(planFile(resultsPath, 's'), JSON.stringify({ ...plan, ...more }));
}

const ordered = (execution: string): Promise<SweepOrigin> => orderedIn({ resultsPath, stateFolder }, execution);

const load = (origin: SweepOrigin, workflowId = sweepWorkflowId('s')): Promise<CellPage> =>
  inActivity(workflowId, () =>
    activities.loadCells({
      sweep: 's',
      round: 1,
      offset: 0,
      limit: 9,
      origin,
    }),
  );
const finish = (origin: SweepOrigin): Promise<void> =>
  inActivity(sweepWorkflowId('s'), () =>
    activities.finishSweep({
      sweep: 's',
      round: 1,
      status: 'completed',
      lost: [],
      origin,
    }),
  );
const refusal = (why: string): object => ({
  type: 'NotOurs',
  nonRetryable: true,
  message: expect.stringContaining(why) as string,
});
/** The end of a run that passes the check: it goes on to its scenario, which does not exist. */
const TAKEN = { type: 'StoreBroken' };
const run = (proof = '', execution: string, more: Partial<RunRef> = {}, client?: Client): Promise<unknown> => {
  const workflowId = runWorkflowId('s', of.id, 1);
  const ref: RunRef = {
    sweep: 's',
    cell: of,
    run: 'run-a',
    workflowId,
    proof,
    firstRunId: execution,
    ...more,
  };
  return inActivity(workflowId, () => activities.checkGate(ref, 0), client).catch((error: unknown) => error);
};

test('a sweep with a proof gets its cells, each with a proof for its run, and can load them again', async () => {
  await writePlan();
  const origin = await ordered('first');
  const [page] = (await load(origin)).cells;
  expect(page?.proof).toMatch(new RegExp(`^${origin.proof.slice(0, 16)}\\.`));
  expect((await load(origin)).cells).toHaveLength(1);
  expect(await run(page?.proof, 'run-1')).toMatchObject(TAKEN);
  expect(await run(page?.proof, 'run-1')).toMatchObject(TAKEN);
});

test('loads nothing without a proof, or with the proof of another order, workflow or execution', async () => {
  await writePlan();
  const origin = await ordered('first');
  await expect(load({ ...origin, proof: '' })).rejects.toMatchObject(refusal('not started by the command line'));
  const dearer = { ...origin, order: { ...origin.order, concurrency: 99 } };
  await expect(load(dearer)).rejects.toMatchObject(refusal('not started by the command line'));
  await expect(load(origin, 'sweep/t')).rejects.toMatchObject(refusal('another workflow'));
  await load(origin);
  const replayed = { ...origin, execution: 'second' };
  await expect(load(replayed)).rejects.toMatchObject(refusal('another execution'));
  await expect(finish(replayed)).rejects.toMatchObject(refusal('another execution'));
});

test('refuses a plan that was changed after the start', async () => {
  await writePlan();
  const origin = await ordered('first');
  await writePlan({ concurrency: 50 });
  await expect(load(origin)).rejects.toMatchObject(refusal('plan has changed'));
});

test('refuses a run without a proof, or with the proof of another model, folder or execution', async () => {
  await writePlan();
  const [page] = (await load(await ordered('first'))).cells;
  const proof = page?.proof;
  expect(await run(undefined, 'run-1')).toMatchObject(refusal('not started by the command line'));
  expect(await run(proof, 'run-1', { cell: { ...of, model: 'dear' } })).toMatchObject(
    refusal('not started by the command line'),
  );
  expect(await run(proof, 'run-1')).toMatchObject(TAKEN);
  expect(await run(proof, 'run-2')).toMatchObject(refusal('another execution'));
  expect(await run(proof, 'run-1', { run: 'run-of-another-cell' })).toMatchObject(refusal('another execution'));
});

test('a run that the server has lost in a power failure can be started again with the same proof', async () => {
  await writePlan();
  const [page] = (await load(await ordered('first'))).cells;
  const serverThat = (describe: () => Promise<unknown>): Client =>
    ({
      withAbortSignal: (_signal: AbortSignal, ask: () => unknown) => ask(),
      workflow: { getHandle: () => ({ describe }) },
    }) as unknown as Client;
  const knows = serverThat(() => Promise.resolve({}));
  const isAway = serverThat(() => Promise.reject(new Error('away')));
  const hasForgotten = serverThat(() => Promise.reject(new WorkflowNotFoundError('none', 'w', 'run-1')));
  expect(await run(page?.proof, 'run-1')).toMatchObject(TAKEN);
  expect(await run(page?.proof, 'run-2', {}, knows)).toMatchObject(refusal('another execution'));
  expect(await run(page?.proof, 'run-2', {}, isAway)).toMatchObject(refusal('another execution'));
  expect(await run(page?.proof, 'run-2', {}, hasForgotten)).toMatchObject(TAKEN);
  expect(await run(page?.proof, 'run-3', {}, knows)).toMatchObject(refusal('another execution'));
});

test('after the end of a sweep, nothing new can start by its order, and what has started can end', async () => {
  await writePlan({ cells: [of, cell(2)] });
  const origin = await ordered('first');
  const [one, two] = (await load(origin)).cells;
  expect(await run(one?.proof, 'run-1')).toMatchObject(TAKEN);
  await finish(origin);
  await finish(origin); // an attempt whose answer was lost
  await expect(load(origin)).rejects.toMatchObject(refusal('has ended'));
  expect(await run(one?.proof, 'run-1')).toMatchObject(TAKEN);
  const workflowId = runWorkflowId('s', cell(2).id, 1);
  const late = {
    sweep: 's',
    cell: cell(2),
    run: 'run-b',
    workflowId,
    firstRunId: 'x',
    proof: two?.proof ?? '',
  };
  await expect(inActivity(workflowId, () => activities.checkGate(late, 0))).rejects.toMatchObject(refusal('has ended'));
});

test('starting a sweep again supersedes its earlier start, even in a database without rounds', async () => {
  await writePlan();
  const [before, after] = [await ordered('first'), await ordered('second')];
  const [page] = (await load(before)).cells;
  await load(after);
  await expect(load(before)).rejects.toMatchObject(refusal('restarted'));
  await expect(finish(before)).rejects.toMatchObject(refusal('restarted'));
  expect(await run(page?.proof, 'run-1')).toMatchObject(refusal('restarted'));
  await finish(after);
});

test('checks orders and signals, and gives the sweep of a parked run the proof that wakes it', async () => {
  const key = await originKey({ resultsPath, stateFolder });
  const order = { sweep: 's', verb: 'resume', ...proveOrder(key, { sweep: 's', verb: 'resume' }) } as const;
  const check = <R>(perform: () => Promise<R>): Promise<R> => inActivity('w', perform);
  expect(await check(() => activities.verifyOrder(order))).toBe(true);
  expect(await check(() => activities.verifyOrder({ ...order, at: order.at + 1 }))).toBe(false);
  const signal = { sweep: 's', workflowId: 'w', nth: 2 };
  const wakesOf = (...signals: { nth: number; proof: string }[]) =>
    check(() => activities.verifyParked({ sweep: 's', signals: signals.map((one) => ({ workflowId: 'w', ...one })) }));
  const parked = proveSignal(key, { workflowId: 'w', nth: 2, kind: 'parked' });
  const [forged, wake] = await wakesOf({ nth: 3, proof: parked }, { nth: 2, proof: parked });
  expect(forged).toBeNull();
  if (typeof wake !== 'string') throw new Error('the signal of the run was not accepted');
  expect(await check(() => activities.verifyWake({ ...signal, proof: wake }))).toBe(true);
  expect(await check(() => activities.verifyWake({ ...signal, proof: parked }))).toBe(false);
});
