import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { scenario, type TestProject } from '../commands/project.js';
import { lacking, launch, violationsOf } from './browser.js';
import { createHostileProject } from './hostile-project.js';

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

describe.skipIf(lacking !== null)(`a report in one file${lacking === null ? '' : ` (${lacking})`}`, () => {
  let project: TestProject;
  let browser: Browser;
  let offline: BrowserContext;
  let page: Page;
  let file: string;
  const asked: string[] = [];
  const problems: string[] = [];

  beforeAll(async () => {
    project = await createHostileProject();
    await project.write(
      'fixtures/notes.yaml',
      scenario('notes', {
        gates: ['{type: file_exists, name: the notes are written, path: notes.md}'],
        steps: ['say: I look around.', 'run: cat README.md', 'say: I am done.'],
        more: 'matrix: {repeat: 2}',
      }),
    );
    await project.cli(['run', 'notes', 'hostile', '--agents', 'mock,hostile', '--name', 'mixed']);
    file = join(project.folder, 'report.html');
    const { exitCode, stderr } = await project.cli([...['report', 'latest', '--format', 'html', '--output', file]]);
    expect([exitCode, stderr]).toEqual([0, 'report  report.html']);
    browser = await launch();
    offline = await browser.newContext({ offline: true, viewport: DESKTOP });
    page = await offline.newPage();
    page.on('request', (request) => asked.push(request.url()));
    page.on('dialog', (dialog) => problems.push(dialog.message()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
  });
  afterAll(async () => {
    await browser.close();
    await project.remove();
    expect(problems).toEqual([]);
  });

  const open = async (): Promise<void> => {
    await page.goto('about:blank');
    await page.goto(pathToFileURL(file).href);
    await page.getByRole('region', { name: 'Runs' }).waitFor();
  };
  const failing = () =>
    page
      .getByRole('link', { name: /^notes/ })
      .filter({ hasText: 'mock' })
      .first();

  test('leads in one click to why a run failed and to its transcript, and loads nothing', async () => {
    asked.length = 0;
    await open();
    await failing().click();
    const gates = page.getByRole('region', { name: 'Gates' });
    await gates.getByText('the notes are written').waitFor();
    expect(await gates.getByText('notes.md does not exist').isVisible()).toBe(true);
    await page.getByText('I look around.').waitFor();
    await page.getByRole('heading', { name: /Changed files/ }).waitFor();
    await page.getByRole('region', { name: 'Facts' }).waitFor();
    await page.getByRole('link', { name: /^Repetition 2/ }).click();
    await page.getByText('I look around.').waitFor();
    expect(asked.filter((url) => url !== 'about:blank' && !url.startsWith('data:'))).toEqual([
      pathToFileURL(file).href,
    ]);
  });

  test('offers nothing that needs a server', async () => {
    await open();
    expect(await page.getByRole('link', { name: /Compare|Sweeps/ }).count()).toBe(0);
    await page.getByLabel('Only these outcomes').selectOption('fail');
    await page.getByLabel('Filter runs').fill('outcome:fail mock notes');
    await expect.poll(() => page.locator('tr.run').count()).toBe(2);
    await page.goto(`${pathToFileURL(file).href}#/runs/unknown`);
    await page.getByText('This file does not contain that.').waitFor();
  });

  test('contains no path of the machine that wrote it, and is small for a small sweep', async () => {
    const text = await project.read('report.html');
    expect(text).not.toContain(project.results);
    expect(statSync(file).size).toBeLessThan(1024 * 1024);
  });

  test('a policy forbids everything but its own script and style', async () => {
    await open();
    const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; img-src data:; base-uri 'none'; form-action 'none'$/,
    );
    const forbidden = file.replace('.html', '-changed.html');
    const text = await project.read('report.html');
    writeFileSync(forbidden, text.replace('</body>', '<script>window.hacked = 1</script></body>'));
    const other = await offline.newPage();
    await other.goto(pathToFileURL(forbidden).href);
    await other.getByRole('region', { name: 'Runs' }).waitFor();
    expect(await other.evaluate(() => 'hacked' in globalThis)).toBe(false);
    await other.close();
  });

  test('can be used with the keyboard alone', async () => {
    await open();
    for (let tabs = 0; ; tabs++) {
      expect(tabs).toBeLessThan(60);
      await page.keyboard.press('Tab');
      if (await page.evaluate(() => /^notes.*mock/.test(document.activeElement?.textContent ?? ''))) break;
    }
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Gates' }).waitFor();
  });

  test.each([
    ['light', 'desktop', DESKTOP],
    ['dark', 'phone', PHONE],
  ] as const)('axe finds nothing, %s on a %s, and nothing is wider than the screen', async (scheme, _, size) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize(size);
    // `axe` is a script that the policy of the page forbids.
    const context = await browser.newContext({
      offline: true,
      bypassCSP: true,
      viewport: size,
      colorScheme: scheme,
    });
    const watched = await context.newPage();
    await watched.goto(pathToFileURL(file).href);
    const isTooWide = (): Promise<boolean> => watched.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    await watched.getByRole('region', { name: 'Runs' }).waitFor();
    expect([await violationsOf(watched), await isTooWide()]).toEqual([[], false]);
    await watched
      .getByRole('link', { name: /^hostile/ })
      .filter({ hasText: 'hostile' })
      .first()
      .click();
    await watched.getByRole('region', { name: 'Facts' }).waitFor();
    expect([await violationsOf(watched), await isTooWide()]).toEqual([[], false]);
    await context.close();
  });
});
