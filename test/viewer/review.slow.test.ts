import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChangedReview, ReviewAnswer } from '../../src/viewer/protocol.js';
import { createProject, EMPTY_FIXTURE, scenario, until, type TestProject } from '../commands/project.js';
import { ask, startViewing, watchSweep, type Answer, type Viewing } from './viewing.js';

let project: TestProject;
let viewing: Viewing;
let sweep: string;
let run: string;
let file: string;

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/notes.yaml': scenario('notes', { gates: ['{type: file_exists, path: README.md}'] }),
  });
  const { document } = await project.run(['notes', '--agents', 'mock', '--name', 'reviewed']);
  sweep = document.sweep;
  const folder = document.cells[0]?.results_dir ?? '';
  run = folder.split('/').at(-1) ?? '';
  file = join(project.results, run, 'evaluation.md');
  viewing = await startViewing(project);
});
afterAll(async () => {
  await viewing.stop();
  await project.remove();
});

const path = (): string => `/api/runs/${run}/review`;
const read = async (): Promise<ReviewAnswer> => JSON.parse((await ask(viewing, path())).body) as ReviewAnswer;
const put = (body: object, headers?: Record<string, string>): Promise<Answer> =>
  ask(viewing, path(), {
    method: 'PUT',
    body: JSON.stringify(body),
    headers: headers ?? { origin: `http://127.0.0.1:${viewing.port}` },
  });

test('a review is saved into evaluation.md, and used as if it were written there by hand', async () => {
  const { version, fields } = await read();
  expect(fields).toEqual({ score: '', criteria: {}, gates: {}, labels: '', reviewer: '', notes: '' });
  const filled = { ...fields, score: '80%', labels: 'flaky-env', notes: 'It guessed.', reviewer: 'Ana' };
  const answer = await put({ version, fields: filled });
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body)).toMatchObject({ fields: { ...filled, score: '80/100' }, problem: null });
  const text = await readFile(file, 'utf8');
  expect(text).toContain('<!-- Human Score: 80/100 -->');
  expect(text).toContain('<!-- Labels: flaky-env -->');
  expect(text).toContain('\nIt guessed.\n');
  const { stdout } = await project.cli(['report', sweep]);
  expect(stdout).toContain('flaky-env');
  const shown = await project.cli(['show', sweep, '--label', 'flaky-env', '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    cells: [{ human: { score: 0.8, notes: 'It guessed.' } }],
  });
  const { document: again } = await project.run(['notes', '--agents', 'mock', '--name', 'again', '--no-cache']);
  expect((await project.cli(['compare', sweep, again.sweep])).stdout).toContain('0.80');
});

test('a review of a file that has changed meanwhile is not saved, and the newer one is answered', async () => {
  const { version, fields } = await read();
  const edited = (await readFile(file, 'utf8')).replace('80/100', '2/5');
  await writeFile(file, edited);
  const answer = await put({ version, fields: { ...fields, notes: 'Mine.' } });
  expect(answer.status).toBe(409);
  const { error, review } = JSON.parse(answer.body) as ChangedReview;
  expect(error).toContain('has changed');
  expect(review.fields).toMatchObject({ score: '2/5', notes: 'It guessed.' });
  expect(await readFile(file, 'utf8')).toBe(edited);
  const mine = { ...fields, notes: 'Mine.' };
  expect((await put({ version: review.version, fields: mine })).status).toBe(200);
  expect((await read()).fields).toMatchObject({ score: '80/100', notes: 'Mine.' });
});

test('what is masked on the page stays in the file', async () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const { version, fields } = await read();
  await put({ version, fields: { ...fields, notes: `The key ${secret} was printed.` } });
  const shown = await read();
  expect(shown.fields.notes).not.toContain(secret);
  await put({ version: shown.version, fields: { ...shown.fields, labels: 'leak' } });
  expect(await readFile(file, 'utf8')).toContain(secret);
  expect((await read()).fields.labels).toBe('leak');
});

test('what cannot be read is refused with a reason, and changes nothing', async () => {
  const before = await readFile(file, 'utf8');
  const { version, fields } = await read();
  for (const [change, reason] of [
    [{ score: 'good' }, "score: 'good' is not a score"],
    [{ score: '4/5 (slow)' }, "put '(slow)' into the notes"],
    [{ labels: '!' }, 'labels: '],
    [{ notes: 'Human Score: 1/5' }, 'notes'],
    [{ more: 1 }, 'more'],
  ] as const) {
    const { status, body } = await put({ version, fields: { ...fields, ...change } });
    expect([status, body]).toEqual([400, expect.stringContaining(reason)]);
  }
  const strange = { method: 'PUT', headers: { origin: `http://127.0.0.1:${viewing.port}` } };
  expect((await ask(viewing, path(), { ...strange, body: '{' })).status).toBe(400);
  const other = { version, fields: { ...fields, notes: 'stolen' } };
  expect((await put(other, {})).status).toBe(403);
  expect((await put(other, { origin: 'http://evil.example' })).status).toBe(403);
  expect(await readFile(file, 'utf8')).toBe(before);
});

test('the page of a sweep shows a review as soon as it is written, also by hand', async () => {
  const answers = watchSweep(viewing, sweep);
  try {
    await until('the first answer', () => answers.last());
    const { version, fields } = await read();
    await put({ version, fields: { ...fields, labels: 'from-the-page' } });
    const hasLabel = (label: string) => () => answers.last()?.choices['label']?.includes(label) === true;
    await until('the label from the page is shown', hasLabel('from-the-page'));
    await writeFile(file, (await readFile(file, 'utf8')).replace('from-the-page', 'by-hand'));
    await until('the label from the file is shown', hasLabel('by-hand'));
  } finally {
    answers.stop();
  }
});
