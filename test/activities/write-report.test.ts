import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createActivities } from '../../src/activities/create-activities.js';
import { parseReview } from '../../src/model/review/parse-review.js';
import { runFiles, stateOfRun } from '../../src/store/results-folder.js';
import { scenario } from '../commands/project.js';
import { newFolder } from '../host/temporary.js';
import { inActivity, isOwnServer } from './in-activity.js';
import { provenRun } from './proofs.js';
import { storeRun } from './stored-run.js';

test('an attempt that writes evaluation.md again keeps the review that a person wrote meanwhile', async () => {
  const folder = await newFolder();
  const [resultsPath, stateFolder] = [join(folder, 'results'), join(folder, 'state')];
  const activities = createActivities({ resultsPath, stateFolder, isOwnServer });
  const cell = { id: 'c', scenario: 'notes', agent: 'mock', model: 'm', variant: 'default', repetition: 1 };
  await storeRun(resultsPath, cell, scenario('notes'));
  const run = await provenRun(
    { resultsPath, stateFolder },
    { sweep: 's', cell, run: 'run-1', workflowId: 'w', firstRunId: 'r' },
  );
  const { evaluation } = runFiles(join(resultsPath, run.run));
  const write = (message: string) =>
    inActivity('w', () =>
      activities.writeReport(run, {
        failures: [{ step: 'prepare', message }],
        cancelled: false,
        startedAt: 0,
        endedAt: 1000,
      }),
    );

  await write('no room');
  const text = await readFile(evaluation, 'utf8');
  expect(parseReview(text)).toBeNull();
  await writeFile(evaluation, text.replace('__/5', '4/5'));
  await rm(join(resultsPath, 'results.jsonl'));
  await rm(join(stateOfRun(stateFolder, run.run), 'steps'), { recursive: true });
  await write('no room left');
  const again = await readFile(evaluation, 'utf8');
  expect(again).not.toBe(text);
  expect(parseReview(again)?.score).toEqual({ points: 4, max: 5 });
});
