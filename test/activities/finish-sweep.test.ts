import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createActivities } from '../../src/activities/index.js';
import type { SweepDocument } from '../../src/results/sweep-document.js';
import type { Plan } from '../../src/scenario/plan.js';
import { planFile, resultsLog, summaryFile } from '../../src/store/results-folder.js';
import { appendResult } from '../../src/store/results-log.js';
import type { LostCell } from '../../src/workflows/protocol.js';
import { newFolder } from '../platform/temporary.js';
import { resultLine } from '../store/sample.js';
import { cell } from '../workflows/stub-activities.js';

const STARTED = Date.parse('2026-01-02T00:00:00.000Z');

/** Ends a sweep of one cell, which has a result of that time. */
async function ended(
  timestamp: string,
  lost: LostCell[],
): Promise<SweepDocument['cells'][number] | undefined> {
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
    caps: { agents: {}, models: {} },
    prices: {},
    providers: {},
    cells: [of],
    scenarios: [{ name: of.scenario, variant: 'default', file: 'x.yaml', hash: 'h' }],
  };
  await mkdir(dirname(planFile(resultsPath, 's')), { recursive: true });
  await writeFile(planFile(resultsPath, 's'), JSON.stringify(plan));
  await appendResult(
    resultsLog(resultsPath),
    resultLine({ sweep: 's', cell: of.id, timestamp, outcome: 'fail' }),
  );
  const { finishSweep } = createActivities({ resultsPath, stateFolder: join(folder, 'state') });
  await finishSweep({ sweep: 's', status: 'completed', lost });
  const summary = JSON.parse(await readFile(summaryFile(resultsPath, 's'), 'utf8')) as SweepDocument;
  return summary.cells[0];
}

const lostOf = (since?: number): LostCell[] => [
  { cell: cell(1).id, message: 'terminated', ...(since === undefined ? {} : { since }) },
];

test('a repetition that was lost does not pass for the run before it', async () => {
  expect(await ended('2026-01-01T00:00:00.000Z', lostOf(STARTED))).toMatchObject({
    outcome: 'error',
    message: 'terminated',
  });
});

test('a run that was lost after its result was written keeps that', async () => {
  expect(await ended('2026-01-02T00:00:01.000Z', lostOf(STARTED))).toMatchObject({ outcome: 'fail' });
});

test('of a loss that an older build has told of, any result counts', async () => {
  expect(await ended('2026-01-01T00:00:00.000Z', lostOf())).toMatchObject({ outcome: 'fail' });
});
