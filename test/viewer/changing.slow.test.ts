import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, documentOf, EMPTY_FIXTURE, scenario, type TestProject } from '../commands/project.js';
import { lacking, launch, violationsOf } from './browser.js';
import { startViewing, type Viewing } from './viewing.js';

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

describe.skipIf(lacking !== null)(`changes from a page${lacking === null ? '' : ` (${lacking})`}`, () => {
  let project: TestProject;
  let viewing: Viewing;
  let browser: Browser;
  let page: Page;
  let sweep: string;
  let later: string;
  let twice: string;

  const runsOf = async (id: string): Promise<string[]> => {
    const { stdout } = await project.cli(['show', id, '--json']);
    return documentOf(stdout).cells.map(({ results_dir: folder }) => folder?.split('/').at(-1) ?? '');
  };
  const runOf = async (id: string): Promise<string> => (await runsOf(id))[0] ?? '';

  beforeAll(async () => {
    project = await createProject({
      ...EMPTY_FIXTURE,
      'fixtures/notes.yaml': scenario('notes', {
        gates: ['{type: file_exists, path: missing.md}'],
        steps: ['say: I begin.', 'run: cat README.md'],
      }),
      'fixtures/pair.yaml': scenario('pair', {
        gates: ['{type: file_exists, path: missing.md}'],
        steps: ['say: I begin.', 'run: cat README.md'],
      }),
    });
    sweep = (await project.run(['notes', '--agents', 'mock', '--name', 'first'])).document.sweep;
    later = (await project.run(['notes', '--agents', 'mock', '--name', 'later', '--no-cache'])).document.sweep;
    twice = (await project.run(['pair', '--agents', 'mock', '--name', 'twice', '--repeat', '2'])).document.sweep;
    viewing = await startViewing(project);
    browser = await launch();
    page = await browser.newPage({ viewport: DESKTOP });
  });
  afterAll(async () => {
    await browser.close();
    await viewing.stop();
    await project.remove();
  });

  const open = async (place: string): Promise<void> => {
    await page.goto('about:blank');
    await page.goto(`${viewing.url}${place}`);
  };
  const expectAccessible = async (): Promise<void> => {
    for (const size of [PHONE, DESKTOP]) {
      await page.setViewportSize(size);
      const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect([await violationsOf(page), isTooWide]).toEqual([[], false]);
    }
  };

  test('a run is reviewed with the keyboard, and the sweep can be filtered by its label', async () => {
    const run = await runOf(sweep);
    await open(`/runs/${run}`);
    const review = page.getByRole('region', { name: 'Human review' });
    await review.getByRole('button', { name: 'Write a review' }).focus();
    await page.keyboard.press('Enter');
    await review.getByLabel('Score').waitFor();
    await expectAccessible();
    await page.keyboard.type('3/5');
    await page.keyboard.press('Tab');
    await page.keyboard.type('flaky-env');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Ana');
    await page.keyboard.press('Tab');
    await page.keyboard.type('It guessed.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await review.getByText('Saved in evaluation.md.').waitFor();
    await review.getByText('It guessed.').waitFor();
    const text = await readFile(join(project.results, run, 'evaluation.md'), 'utf8');
    expect(text).toContain('<!-- Human Score: 3/5 -->');
    expect(text).toContain('<!-- Labels: flaky-env -->');
    await open(`/sweeps/${sweep}`);
    await page.getByLabel('Only these labels').selectOption('flaky-env');
  });

  test('two transcripts are side by side, and stacked on a phone', async () => {
    await open(`/compare?${new URLSearchParams({ base: sweep, head: later }).toString()}`);
    await page.getByRole('link', { name: /side by side/ }).click();
    const [before, after] = ['Before', 'After'].map((name) => page.getByRole('region', { name, exact: true }));
    for (const side of [before, after]) await side?.getByText('I begin.').waitFor();
    const ids = await page.locator('[id^="e-"]').evaluateAll((all) => all.map(({ id }) => id));
    expect(ids.length).toBeGreaterThan(2);
    expect(new Set(ids).size).toBe(ids.length);
    const placed = async () => [await before?.boundingBox(), await after?.boundingBox()];
    const [left, right] = await placed();
    expect([right?.y, (right?.x ?? 0) > (left?.x ?? 0)]).toEqual([left?.y, true]);
    await page.setViewportSize(PHONE);
    const [above, below] = await placed();
    expect([below?.x, (below?.y ?? 0) > (above?.y ?? 0)]).toEqual([above?.x, true]);
    await expectAccessible();
  });

  test('a scenario has its trend, in a chart and in a table', async () => {
    await open(`/sweeps/${sweep}`);
    await page.getByRole('rowheader').getByRole('link', { name: 'notes', exact: true }).click();
    const trend = page.getByRole('region', { name: 'mock' });
    await trend.getByRole('img', { name: 'Pass rates in 2 sweeps, now 0%' }).waitFor();
    const rows = await trend.getByRole('row').allTextContents();
    expect(rows.slice(1).map((text) => text.includes('0 of 1'))).toEqual([true, true]);
    expect(rows[1]).toContain(sweep);
    expect(rows[2]).toContain(later);
    await expectAccessible();
  });

  test('a retry says what it would run, and its round is followed', async () => {
    const before = await runOf(later);
    await open(`/sweeps/${later}`);
    await page.getByRole('button', { name: 'Retry 1 not passed' }).click();
    const confirm = page.getByRole('group', { name: 'Run again' });
    await confirm.getByText('1 cell run again: 1 with mock').waitFor();
    expect(await confirm.getByText('may cost money').count()).toBe(0);
    await expectAccessible();
    await confirm.getByRole('button', { name: 'Leave it' }).click();
    expect(await runOf(later)).toBe(before);
    await page.getByRole('button', { name: 'Retry 1 not passed' }).click();
    await confirm.getByRole('button', { name: 'Run again' }).click();
    const link = page.getByRole('region', { name: 'Runs' }).getByRole('link');
    await expect.poll(() => link.getAttribute('href'), { timeout: 120_000 }).not.toContain(before);
    await expect.poll(() => page.locator('.title > .chip').textContent(), { timeout: 120_000 }).toContain('completed');
    expect(await runOf(later)).not.toBe(before);
  });

  test('a single run is done again from its page, and the others are not', async () => {
    const [first = '', other = ''] = await runsOf(twice);
    await open(`/runs/${first}`);
    await page.getByRole('button', { name: 'Retry' }).click();
    const confirm = page.getByRole('group', { name: 'Run again' });
    await confirm.getByText('1 cell run again: 1 with mock').waitFor();
    await expectAccessible();
    await confirm.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('region', { name: 'Runs' }).waitFor();
    expect(page.url()).toContain(twice);
    await expect.poll(async () => (await runsOf(twice))[0], { timeout: 120_000 }).not.toBe(first);
    expect((await runsOf(twice))[1]).toBe(other);
  });

  test('a single run is checked again from its page', async () => {
    const [, run = ''] = await runsOf(twice);
    await open(`/runs/${run}`);
    await page.getByRole('button', { name: 'Regrade' }).click();
    await page.getByText('A new sweep checks the work of 1 cell with').waitFor();
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('region', { name: 'Runs' }).waitFor({ timeout: 120_000 });
    expect(page.url()).not.toContain(twice);
  });

  test('a regrade starts a new sweep, and its page is shown', async () => {
    await open(`/sweeps/${sweep}`);
    await page.getByRole('button', { name: 'Regrade' }).click();
    await page.getByText('A new sweep checks the work of 1 cell').waitFor();
    await page.getByRole('button', { name: 'Check again' }).click();
    await expect.poll(() => page.url(), { timeout: 120_000 }).not.toContain(sweep);
    await page.getByText('missing.md').first().waitFor({ timeout: 120_000 });
  });
});
