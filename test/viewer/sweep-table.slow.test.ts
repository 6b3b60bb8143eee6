import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from '../commands/project.js';
import { lacking, launch, violationsOf } from './browser.js';
import { startViewing, type Viewing } from './viewing.js';

/** Cells of the large sweep, and calls in the long transcript. */
const [CELLS, CALLS] = [3000, 2000];
const SOON = { timeout: 60_000 };

describe.skipIf(lacking !== null)(`the table of runs${lacking === null ? '' : ` (${lacking})`}`, () => {
  let project: TestProject;
  let viewing: Viewing;
  let browser: Browser;
  let page: Page;
  let sweep: string;
  let earlier: string;

  beforeAll(async () => {
    const steps = (file: string): string[] => ['say: I look around.', `run: touch ${file}`, 'say: All is written.'];
    const gates = ['{type: file_exists, name: the notes are there, path: notes.md}'];
    project = await createProject({
      ...EMPTY_FIXTURE,
      'fixtures/notes.yaml': scenario('notes', { gates, steps: steps('other.md'), more: 'matrix: {repeat: 2}' }),
      'fixtures/stock.yaml': scenario('stock', { gates, steps: steps('notes.md'), more: 'matrix: {repeat: 2}' }),
    });
    earlier = (await project.run(['notes', 'stock', '--name', 'earlier'])).document.sweep;
    await project.write(
      'fixtures/notes.yaml',
      scenario('notes', { gates, steps: steps('notes.md'), more: 'matrix: {repeat: 2}' }),
    );
    await project.run(['notes', 'stock', '--name', 'later', '--no-cache']);
    sweep = earlier;
    viewing = await startViewing(project);
    browser = await launch();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  });
  afterAll(async () => {
    await browser.close();
    await viewing.stop();
    await project.remove();
  });

  const open = async (query = ''): Promise<void> => {
    await page.goto('about:blank');
    await page.goto(`${viewing.url}/sweeps/${sweep}${query}`);
    await rows().first().waitFor();
  };
  const rows = () => page.locator('tr.run');
  const field = () => page.getByLabel('Filter runs');

  test('shows why a run failed and what its agent said last, without opening it', async () => {
    await open();
    expect(await rows().count()).toBe(4);
    expect(await rows().first().textContent()).toMatch(/fail.*notes.*the notes are there.*All is written\./s);
  });

  test('filters by an expression, and marks the word of it that is wrong', async () => {
    await open();
    await field().fill('outcome:fail "ALL IS"');
    await page.getByText('No run matches.').waitFor(); // what an agent said is not searched
    await field().fill('outcome:fail gate:file_exists repetition:2');
    await expect.poll(() => rows().count(), SOON).toBe(1);
    expect(page.url()).toContain('filter=');
    await field().fill('outcome:fail gat:x');
    await page.locator('mark', { hasText: 'gat:x' }).waitFor();
    await page.getByText("there is no field 'gat'").waitFor();
    expect([await rows().count(), await violationsOf(page)]).toEqual([1, []]);
    await field().fill('out');
    expect(await page.locator('#completions option').getAttribute('value')).toBe('outcome:');
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('button', { name: 'Failures' }).click();
    await expect.poll(() => rows().count(), SOON).toBe(2);
    expect(await field().inputValue()).toBe('outcome:fail,error');
  });

  test('sorts and shows the columns that are chosen, also after a reload', async () => {
    await open();
    const heading = page.getByRole('columnheader', { name: 'Run', exact: true });
    await heading.getByRole('button').click();
    await heading.getByRole('button').click();
    await expect.poll(() => rows().first().textContent(), SOON).toContain('stock');
    expect(await heading.getAttribute('aria-sort')).toBe('descending');
    await page.getByText('Columns', { exact: true }).click();
    await page.getByLabel('Attempts').check();
    await page.getByLabel('Cost', { exact: true }).uncheck();
    await page.getByRole('columnheader', { name: 'Attempts' }).waitFor();
    await page.goto('about:blank');
    await page.goBack();
    await page.getByRole('columnheader', { name: 'Attempts' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Cost', exact: true }).count()).toBe(0);
    expect(await rows().first().textContent()).toContain('stock');
  });

  test('shows what differs from another sweep', async () => {
    await open();
    const other = page.getByLabel('Only runs whose outcome differs from that of');
    await other.selectOption({ index: 1 });
    await expect.poll(() => rows().count(), SOON).toBe(2);
    expect(await rows().first().textContent()).toMatch(/fail.*pass/s);
  });

  test('a rating and notes in a row are in evaluation.md, and change nothing that somebody else has written', async () => {
    await open('?filter=scenario%3Anotes');
    const run = ((await rows().first().getByRole('link').getAttribute('href')) ?? '').split('/').at(-1) ?? '';
    const file = join(project.results, run, 'evaluation.md');
    await page.getByLabel(`Rating of ${run}`).selectOption('2/5');
    await expect.poll(() => readFile(file, 'utf8'), SOON).toContain('2/5');
    const notes = page.getByLabel(`Notes on ${run}`);
    await notes.fill('It forgot the notes.');
    await page.getByLabel('Filter runs').focus();
    await expect.poll(() => readFile(file, 'utf8'), SOON).toContain('It forgot the notes.');

    await notes.fill('Mine');
    await writeFile(file, (await readFile(file, 'utf8')).replace('It forgot the notes.', 'Theirs.'));
    await page.getByLabel('Filter runs').focus();
    await page.getByText(/^Not saved: the review has changed meanwhile/).waitFor();
    expect(await notes.inputValue()).toBe('Mine');
    expect(await readFile(file, 'utf8')).toMatch(/Theirs\./);
  });

  test('saves what is shown as CSV and JSON', async () => {
    await open('?filter=outcome%3Afail&columns=scenario%2Coutcome%2Cgates');
    const saved = async (format: string): Promise<string> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: format }).click(),
      ]);
      return readFile(await download.path(), 'utf8');
    };
    const csv = (await saved('CSV')).split('\r\n');
    expect(csv[0]).toBe('id,scenario,outcome,gates');
    expect(csv[1]).toMatch(/,notes,fail,0$/);
    expect(csv).toHaveLength(4);
    expect(JSON.parse(await saved('JSON'))).toMatchObject([{ outcome: 'fail' }, { outcome: 'fail' }]);
  });

  test('a link that was copied opens in another tab', async () => {
    await open('?filter=outcome%3Afail');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: /^Copy the link/ }).click();
    await page.getByText('Copied').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const other = await (await browser.newContext()).newPage();
    await other.goto(link);
    await expect.poll(() => other.locator('tr.run').count(), SOON).toBe(2);
    await other.context().close();
  });

  test('of thousands of cells and events, only those near the reader are on the page', async () => {
    // A viewer reads the plan of a sweep once.
    await viewing.stop();
    const run = await enlarge();
    viewing = await startViewing(project);
    await open();
    const box = page.getByRole('group', { name: 'Table of runs' });
    expect(await box.locator('table').getAttribute('aria-rowcount')).toBe(String(CELLS + 1));
    expect(await rows().count()).toBeLessThanOrEqual(100);
    await box.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await page.locator(`tr[aria-rowindex="${CELLS + 1}"]`).waitFor();
    expect(await rows().count()).toBeLessThanOrEqual(100);

    await page.goto(`${viewing.url}/runs/${run}`);
    await page.getByText(`${CALLS} calls`).waitFor();
    const items = page.locator('.conversation .item');
    await page.getByRole('link', { name: '1 failed' }).click();
    await page.locator('.item.shown', { hasText: `call ${CALLS - 100}` }).waitFor();
    expect(await items.count()).toBeLessThanOrEqual(600);
    await page.getByRole('button', { name: 'Show the beginning' }).click();
    await page.getByText('$ call 0', { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  /** Makes the sweep large, and the transcript of one of its runs long. Returns that run. */
  async function enlarge(): Promise<string> {
    const folder = join(project.results, 'sweeps', sweep);
    const plan = JSON.parse(await readFile(join(folder, 'plan.json'), 'utf8')) as { cells: Cell[] };
    const log = join(project.results, 'results.jsonl');
    const lines = (await readFile(log, 'utf8'))
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as Line)
      .filter((line) => line.sweep === sweep);
    const more = Array.from({ length: CELLS - plan.cells.length }, (_, at) => {
      const [cell, line] = [plan.cells[0] as Cell, lines[0] as Line];
      const numbered = { repetition: at + 3 };
      const id = cell.id.replace(/\d+$/, String(at + 3));
      return { cell: { ...cell, ...numbered, id }, line: { ...line, ...numbered, cell: id, id: `${line.id}-${at}` } };
    });
    await writeFile(
      join(folder, 'plan.json'),
      JSON.stringify({ ...plan, cells: [...plan.cells, ...more.map(({ cell }) => cell)] }),
    );
    await writeFile(
      log,
      [...lines, ...more.map(({ line }) => line)].map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
    const run = lines[0]?.results_dir ?? '';
    const events = Array.from({ length: CALLS }, (_, at) => {
      const about = { ts: new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString(), attempt: 1 };
      const code = at === CALLS - 100 ? 2 : 0;
      const call = { type: 'tool_call', id: `c${at}`, name: 'shell', input: null, command: `call ${at}` };
      const result = {
        type: 'tool_result',
        id: `c${at}`,
        exit_code: code,
        is_error: code > 0,
        output: 'x'.repeat(3000),
      };
      return [
        { ...call, ...about, seq: 2 * at + 1 },
        { ...result, truncated: false, ...about, seq: 2 * at + 2 },
      ];
    }).flat();
    await writeFile(
      join(project.results, run, 'artifacts/events.jsonl'),
      events.map((event) => `${JSON.stringify(event)}\n`).join(''),
    );
    expect(await readdir(join(project.results, run))).toContain('artifacts');
    return run;
  }
});

interface Cell {
  id: string;
  repetition: number;
}
interface Line {
  id: string;
  sweep: string;
  cell: string;
  repetition: number;
  results_dir: string;
}
