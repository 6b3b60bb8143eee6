import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createActivities } from '../../src/activities/create-activities.js';
import { sha256 } from '../../src/lib/hash.js';
import { proveSweep } from '../../src/host/security/origin.js';
import type { Plan } from '../../src/scenario/plan.js';
import { originKey } from '../../src/store/origin.js';
import { planFile, resultsLog, storeFolder } from '../../src/store/results-folder.js';
import { sweepWorkflowId, type CellPage, type LoadCellsInput, type SweepOrigin } from '../../src/protocol/index.js';
import { newFolder } from '../host/temporary.js';
import { resultLine } from '../store/sample.js';
import { cellsUpTo } from '../workflows/stub-activities.js';
import { inActivity, isOwnServer } from './in-activity.js';

const CELLS = cellsUpTo(150);

/** Reads pages of a sweep of 150 free cells; some of them have results with these costs. */
async function sweepWith(
  maxUsd: number | null,
  costs: Record<number, number>,
  more: Partial<SweepOrigin['order']> = {},
) {
  const folder = await newFolder();
  const [resultsPath, stateFolder] = [join(folder, 'results'), join(folder, 'state')];
  const key = await originKey({ resultsPath, stateFolder });
  const plan: Plan = {
    schema_version: 1,
    sweep: 's',
    created_at: '',
    concurrency: 1,
    cache: true,
    max_usd: maxUsd,
    agents: {},
    project: null,
    hidden: [],
    sandbox: { required: false, allow_loopback: [] },
    caps: { agents: {}, models: {} },
    prices: {},
    providers: {},
    scenarios: [],
    cells: CELLS,
  };
  const text = JSON.stringify(plan);
  mkdirSync(dirname(planFile(resultsPath, 's')), { recursive: true });
  mkdirSync(storeFolder(resultsPath), { recursive: true });
  writeFileSync(planFile(resultsPath, 's'), text);
  for (const [repetition, cost_usd] of Object.entries(costs)) {
    const { id: cell = '' } = CELLS[Number(repetition) - 1] ?? {};
    const line = resultLine({ id: `run-${repetition}`, sweep: 's', cell, outcome: 'error', cost_usd });
    appendFileSync(resultsLog(resultsPath), `${JSON.stringify(line)}\n`);
  }
  const { loadCells } = createActivities({ resultsPath, stateFolder, isOwnServer });
  const order = { round: 1, concurrency: 1, caps: { agents: {}, models: {} }, ...more };
  const proof = proveSweep(key, { sweep: 's', planHash: sha256(text), order });
  const origin = { order, proof, execution: 'first' };
  return (wanted: Partial<LoadCellsInput>): Promise<CellPage> =>
    inActivity(sweepWorkflowId('s'), () =>
      loadCells({ sweep: 's', offset: 0, limit: 100, round: 1, origin, ...wanted }),
    );
}

test('only the first page gives the cost so far of all cells, including those on later pages', async () => {
  const load = await sweepWith(9, { 1: 0.25, 120: 0.5, 150: 1 });
  expect((await load({})).earlierUsd).toBe(1.75);
  expect(await load({ offset: 100 })).not.toHaveProperty('earlierUsd');
  expect(await load({ positions: [0, 1] })).not.toHaveProperty('earlierUsd');
});

test('does not add up costs without a budget', async () => {
  const load = await sweepWith(null, { 1: 0.25 });
  expect(await load({})).not.toHaveProperty('earlierUsd');
});

test('a round of chosen cells runs exactly these, and none of them from the cache', async () => {
  const chosen = CELLS[2]?.id ?? '';
  const load = await sweepWith(null, { 1: 0.25, 3: 0.25 }, { round: 2, againCells: [chosen] });
  const { cells } = await load({ limit: 4 });
  expect(cells.map(({ finished, fresh }) => [finished, fresh])).toEqual([
    ['error', undefined],
    // It was never run, which is not made up for.
    ['cancelled', undefined],
    [null, true],
    ['cancelled', undefined],
  ]);
});
