import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createActivities } from '../../src/activities/create-activities.js';
import { sweepEnvFile, writeSweepEnv } from '../../src/host/security/sweep-env.js';
import { readTextIfThere } from '../../src/host/fs/read-file.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import type { Plan } from '../../src/scenario/plan.js';
import { planFile, resultsLog, summaryFile } from '../../src/store/results-folder.js';
import { appendResult, readResults } from '../../src/store/results-log.js';
import { newestRound } from '../../src/store/sweep-round.js';
import type { CellPage, LoadCellsInput, LostCell, SweepEnd, SweepOrigin } from '../../src/protocol/index.js';
import { inActivity, isOwnServer } from './in-activity.js';
import { ordered } from './proofs.js';
import { newFolder } from '../host/temporary.js';
import { resultLine } from '../store/sample.js';
import { cell } from '../workflows/stub-activities.js';

const STARTED = Date.parse('2026-01-02T00:00:00.000Z');

/** A sweep whose first cell has a result of this time. */
async function sweepOf(timestamp: string, cells = [cell(1)]) {
  const folder = await newFolder();
  const resultsPath = join(folder, 'results');
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
    cells,
    scenarios: [{ name: of.scenario, variant: 'default', file: 'x.yaml', path: '/x.yaml', hash: 'h' }],
  };
  await mkdir(dirname(planFile(resultsPath, 's')), { recursive: true });
  await writeFile(planFile(resultsPath, 's'), JSON.stringify(plan));
  await appendResult(resultsLog(resultsPath), resultLine({ sweep: 's', cell: of.id, timestamp, outcome: 'fail' }));
  const stateFolder = join(folder, 'state');
  const activities = createActivities({ resultsPath, stateFolder, isOwnServer });
  /** The origins of the rounds, by their number. */
  const origins = new Map<number, SweepOrigin>();
  const originOf = async (round: number, more: Partial<SweepOrigin['order']> = {}): Promise<SweepOrigin> => {
    const origin = origins.get(round) ?? (await ordered({ resultsPath, stateFolder }, `${round}`, { round, ...more }));
    origins.set(round, origin);
    return origin;
  };
  const finishSweep = async (end: Omit<SweepEnd, 'origin'>, more?: Partial<SweepOrigin['order']>): Promise<void> => {
    const origin = await originOf(end.round, more);
    await inActivity('sweep/s', () => activities.finishSweep({ ...end, origin }));
  };
  const loadCells = async (wanted: Omit<LoadCellsInput, 'origin'>): Promise<CellPage> => {
    const origin = await originOf(wanted.round);
    return inActivity('sweep/s', () => activities.loadCells({ ...wanted, origin }));
  };
  const summary = async (): Promise<SweepDocument | null> =>
    JSON.parse((await readTextIfThere(summaryFile(resultsPath, 's'))) ?? 'null') as SweepDocument | null;
  return { resultsPath, stateFolder, finishSweep, loadCells, summary };
}

/** Ends such a sweep, and returns its cell in the summary. */
async function ended(timestamp: string, lost: LostCell[]): Promise<SweepDocument['cells'][number] | undefined> {
  const { finishSweep, summary } = await sweepOf(timestamp);
  await finishSweep({ sweep: 's', round: 1, status: 'completed', lost });
  return (await summary())?.cells[0];
}

const LOST: LostCell[] = [{ cell: cell(1).id, message: 'terminated', since: STARTED }];

test('does not take an earlier result for that of a lost run', async () => {
  expect(await ended('2026-01-01T00:00:00.000Z', LOST)).toMatchObject({
    outcome: 'error',
    message: 'terminated',
    // Its agent may have been started.
    attempts: null,
    starts: null,
  });
});

test('a run that was lost after its result was written keeps the result', async () => {
  expect(await ended('2026-01-02T00:00:01.000Z', LOST)).toMatchObject({ outcome: 'fail' });
});

test('a late end of an earlier round does not affect the current round, which ends on its own', async () => {
  const { resultsPath, stateFolder, finishSweep, loadCells, summary } = await sweepOf('2026-01-01T00:00:00.000Z');
  await writeSweepEnv(stateFolder, 's', { base: {}, values: { KEY: 'secret' } });
  const secrets = (): Promise<string | null> => readTextIfThere(sweepEnvFile(stateFolder, 's'));
  for (const round of [1, 2]) await loadCells({ sweep: 's', offset: 0, limit: 1, round });
  await finishSweep({ sweep: 's', round: 1, status: 'completed', lost: LOST });
  expect(await summary()).toBeNull();
  expect(await secrets()).toContain('secret');
  expect(readResults(resultsLog(resultsPath)).results).toHaveLength(1);
  await finishSweep({ sweep: 's', round: 2, status: 'completed', lost: [] });
  expect(await summary()).toMatchObject({ status: 'completed', totals: { failed: 1 } });
  expect(await secrets()).toBeNull();
  // An earlier round that still loads cells does not become current again.
  await expect(loadCells({ sweep: 's', offset: 0, limit: 1, round: 1 })).rejects.toMatchObject({
    type: 'NotOurs',
  });
  expect(await newestRound(resultsPath, 's')).toBe(2);
});

test('the end of a round of chosen cells writes no results for other cells', async () => {
  const cells = [cell(1), cell(2), cell(3)];
  const { finishSweep, summary } = await sweepOf('2026-01-01T00:00:00.000Z', cells);
  const end = { sweep: 's', round: 2, status: 'completed', lost: [] } as const;
  await finishSweep({ ...end, lost: [] }, { againCells: [cell(2).id] });
  const outcomes = (await summary())?.cells.map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['fail', 'error', null]);
});
