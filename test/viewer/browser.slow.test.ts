import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { gatedCommand, letGo, sweepOf, untilStarted, writeGated } from '../commands/gated.js';
import type { TestProject } from '../commands/project.js';
import { lacking, launch, violationsOf } from './browser.js';
import { createHostileProject, LONG_OUTPUT } from './hostile-project.js';
import { startViewing, type Viewing } from './viewing.js';

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

describe.skipIf(lacking !== null)(`the viewer in a browser${lacking === null ? '' : ` (${lacking})`}`, () => {
  let project: TestProject;
  let viewing: Viewing;
  let browser: Browser;
  let page: Page;
  let requests: string[] = [];

  beforeAll(async () => {
    project = await createHostileProject();
    await writeGated(project, 'watched', {
      gates: ['{type: file_exists, name: the report is written, path: missing.md}'],
      steps: ['say: I begin.', `run: '${gatedCommand(project, 'watched')}'`, 'say: I am done.'],
    });
    await project.run(['hostile', '--agents', 'hostile', '--name', 'hostile']);
    await project.run(['hostile', '--agents', 'hostile', '--name', 'again', '--no-cache']);
    await project.cli(['run', 'watched', '--name', 'watched', '--detach']);
    await untilStarted(project, 'watched');
    viewing = await startViewing(project);
    browser = await launch();
    page = await browser.newPage({ viewport: DESKTOP });
    page.on('request', (request) => requests.push(request.url()));
  });
  afterAll(async () => {
    await browser.close();
    await viewing.stop();
    await project.remove();
  });

  const open = async (): Promise<void> => {
    requests = [];
    // From another page: a fragment alone would load nothing.
    await page.goto('about:blank');
    await page.goto(viewing.url);
  };

  test('shows a transcript as it grows, and then in three clicks why the run failed', async () => {
    await open();
    await page.getByRole('link', { name: /^watched-/ }).click();
    await page
      .getByRole('link', { name: /^watched/ })
      .filter({ hasText: 'mock' })
      .click();
    await page.getByText('I begin.').waitFor();
    await page.getByText('The agent is working').waitFor();
    expect(await page.getByText('I am done.').count()).toBe(0);
    await letGo(project, 'watched');
    await page.getByText('I am done.').waitFor();
    await page.getByText('missing.md does not exist').first().waitFor();
    expect(page.url()).not.toContain('token');

    await open();
    await page.getByRole('link', { name: /^watched-/ }).click(); // one
    await page
      .getByRole('link', { name: /^watched/ })
      .filter({ hasText: 'mock' })
      .click(); // two
    const gates = page.getByRole('region', { name: 'Gates' });
    await gates.getByText('the report is written').waitFor();
    expect(await gates.getByText('missing.md does not exist').isVisible()).toBe(true);
  });

  test('pauses, resumes and cancels a sweep', async () => {
    await writeGated(project, 'steered');
    await project.cli(['run', 'steered', '--repeat', '2', '--concurrency', '1', '--name', 'steered', '--detach']);
    await untilStarted(project, 'steered');
    await open();
    await page.getByRole('link', { name: /^steered-/ }).click();
    const status = page.locator('.title > .chip');
    const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
    await press('Pause');
    await expect.poll(() => status.textContent(), { timeout: 60_000 }).toContain('paused');
    await press('Resume');
    await expect.poll(() => status.textContent(), { timeout: 60_000 }).toContain('running');
    await press('Cancel');
    await press('Cancel the sweep');
    await expect.poll(() => status.textContent(), { timeout: 60_000 }).toContain('cancelled');
    expect((await project.cli(['resume', await sweepOf(project, 'steered')])).exitCode).toBe(130);
  });

  test('hostile text runs nothing, loads nothing and hides nothing', async () => {
    await open();
    await page.getByRole('link', { name: /^hostile-/ }).click();
    await page
      .getByRole('region', { name: 'Runs' })
      .getByRole('link', { name: /^hostile/ })
      .first()
      .click();
    await page.getByText('window.hacked = 1').first().waitFor();
    await page.getByRole('heading', { name: /Changed files/ }).waitFor();
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
    expect(await page.locator('img, iframe, script:not([src="/app.js"]), main b').count()).toBe(1); // the name of a tool
    expect(await page.locator('a[href^="javascript:"], a[href^="https://evil"]').count()).toBe(0);
    const text = await page.evaluate(() => document.body.textContent);
    expect(text).toContain('user');
    expect(text).not.toMatch(/[\0-\b\v-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    const origin = new URL(viewing.url).origin;
    expect(requests.filter((url) => !url.startsWith(origin) && url !== 'about:blank')).toEqual([]);

    const long = page.locator('.text', { hasText: 'xxxxxxxxxx' });
    expect((await long.textContent())?.length).toBeLessThan(LONG_OUTPUT / 10);
    await long.locator('xpath=following-sibling::button').click();
    await expect.poll(async () => (await long.textContent())?.length).toBe(LONG_OUTPUT);
  });

  test('compares two sweeps in the words of the command', async () => {
    await open();
    await page.getByRole('link', { name: 'Compare' }).click();
    const [base, head] = [await sweepOf(project, 'hostile'), await sweepOf(project, 'again')];
    await page.getByLabel('Before').selectOption(base);
    await page.getByLabel('After').selectOption(head);
    const verdict = page.locator('.verdict');
    await verdict.waitFor();
    const { stdout } = await project.cli(['compare', base, head]);
    for (const line of await verdict.locator('p').allTextContents()) expect(stdout).toContain(line);
    await page.getByRole('link', { name: '0 of 1' }).last().click();
    await page.getByRole('region', { name: 'Runs' }).waitFor();
    expect(page.url()).toContain(`/sweeps/${head}?at=`);
  });

  test('can be used with the keyboard alone', async () => {
    await open();
    await page.getByRole('link', { name: /^watched-/ }).waitFor();
    const press = async (wanted: RegExp): Promise<void> => {
      for (let tabs = 0; tabs < 40; tabs++) {
        await page.keyboard.press('Tab');
        const name = await page.evaluate(() => document.activeElement?.textContent ?? '');
        if (wanted.test(name)) return page.keyboard.press('Enter');
      }
      throw new Error(`no Tab reaches ${wanted}`);
    };
    await press(/^watched-/);
    await page.getByRole('region', { name: 'Runs' }).waitFor();
    await press(/^watched.*mock/);
    await page.getByRole('region', { name: 'Gates' }).waitFor();
  });

  test.each([
    ['light', 'desktop', DESKTOP],
    ['dark', 'phone', PHONE],
    ['dark', 'desktop', DESKTOP],
    ['light', 'phone', PHONE],
  ] as const)('axe finds nothing, %s on a %s, and nothing is wider than the screen', async (scheme, _, size) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize(size);
    await open();
    const isTooWide = (): Promise<boolean> => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    await page.getByRole('link', { name: /^hostile-/ }).waitFor();
    expect([await violationsOf(page), await isTooWide()]).toEqual([[], false]);
    await page.getByRole('link', { name: /^hostile-/ }).click();
    await page.getByRole('region', { name: 'Runs' }).waitFor();
    expect([await violationsOf(page), await isTooWide()]).toEqual([[], false]);
    await page
      .getByRole('link', { name: /^hostile/ })
      .filter({ hasText: 'hostile' })
      .first()
      .click();
    await page.getByRole('group', { name: /./ }).or(page.getByText('binary.dat')).first().waitFor();
    expect([await violationsOf(page), await isTooWide()]).toEqual([[], false]);
    const sides = { base: await sweepOf(project, 'hostile'), head: await sweepOf(project, 'again') };
    await page.goto(`${new URL(viewing.url).origin}/#/compare?${new URLSearchParams(sides).toString()}`);
    await page.locator('.verdict').waitFor();
    expect([await violationsOf(page), await isTooWide()]).toEqual([[], false]);
  });
});
