import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatedCommand, letGo, untilStarted, writeGated } from '../commands/gated.js';
import { createProject, EMPTY_FIXTURE, REPOSITORY, scenario, type TestProject } from '../commands/project.js';
import { lacking, launch, violationsOf } from './browser.js';
import { startViewing, type Viewing } from './viewing.js';

const SERVER = join(REPOSITORY, 'test/mcp/server.js');

describe.skipIf(lacking !== null)(`pages of the viewer${lacking === null ? '' : ` (${lacking})`}`, () => {
  let project: TestProject;
  let viewing: Viewing;
  let browser: Browser;
  let sweeps: string[];
  let runs: string[];

  beforeAll(async () => {
    project = await createProject({
      ...EMPTY_FIXTURE,
      'fixtures/notes.yaml': scenario('notes', {
        gates: ['{type: file_exists, path: notes.md}', '{type: file_exists, path: README.md}'],
        steps: ['say: I look around.', 'run: cat README.md', 'run: ls missing', 'say: Done.'],
      }),
    });
    await writeGated(project, 'served', {
      gates: ['{type: mcp_no_errors}'],
      steps: [
        'mcp: {server: test, tool: echo, args: {text: the first}}',
        'run: cat skills/stamp/SKILL.md',
        `run: '${gatedCommand(project, 'served')}'`,
        'mcp: {server: test, tool: refuse, args: {}}',
      ],
      more: `subject: {mcp: {name: test, command: node, args: [${JSON.stringify(SERVER)}]}}`,
    });
    const before = await project.run(['notes', '--name', 'before']);
    const after = await project.run(['notes', '--name', 'after', '--no-cache']);
    sweeps = [before.document.sweep, after.document.sweep];
    runs = [before, after].map(({ document }) => document.cells[0]?.results_dir?.split('/').at(-1) ?? '');
    viewing = await startViewing(project);
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await viewing.stop();
    await project.remove();
  });

  const open = async (page: Page, path: string): Promise<void> => {
    // From another page: a fragment alone would load nothing.
    await page.goto('about:blank');
    await page.goto(`${viewing.url}${path}`);
  };
  const openForm = async (page: Page, run: string): Promise<void> => {
    await open(page, `/runs/${run}`);
    await page.getByRole('button', { name: /(Write a|Edit the) review/ }).click();
    await page.getByLabel('Notes').waitFor();
  };

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)(
    'axe finds nothing, %s and %d pixels wide, and nothing is wider than the screen',
    async (colorScheme, width) => {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
      const sides = new URLSearchParams({ base: sweeps[0] ?? '', head: sweeps[1] ?? '' }).toString();
      const places: [path: string, shown: string][] = [
        [`/beside?${sides}`, '.side + .side .conversation'],
        ['/scenarios/notes', 'main .chart'],
        [`/compare?${sides}`, 'main .verdict'],
        [`/sweeps/${sweeps[0] ?? ''}/plan`, 'main .curve'],
      ];
      const expectFine = async (): Promise<void> => {
        const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        expect([page.url(), await violationsOf(page), isTooWide]).toEqual([page.url(), [], false]);
      };
      for (const [path, shown] of places) {
        await open(page, path);
        await page.locator(shown).first().waitFor();
        await expectFine();
      }
      await openForm(page, runs[0] ?? '');
      await expectFine();
      await page.close();
    },
  );

  test('a call of an MCP server is shown once, as it happens, and in a report in one file', async () => {
    await project.cli(['run', 'served', '--name', 'served', '--detach']);
    await untilStarted(project, 'served');
    const page = await browser.newPage();
    await open(page, '/');
    await page.getByRole('link', { name: /^served-/ }).click();
    await page
      .getByRole('link', { name: /^served.*mock/ })
      .first()
      .click();
    const calls = page.locator('.conversation .item.call, .conversation .item.mcp');
    await page.getByText(/MCP test offers \d+ tools/).waitFor();
    await calls.first().getByText('echo').first().waitFor();
    expect(await calls.first().textContent()).toMatch(/^MCP test echo text: the first\d.* ms/);
    await calls.filter({ hasText: 'skill stamp' }).waitFor();
    await letGo(project, 'served');
    const gates = page.getByRole('region', { name: 'Gates' });
    await gates.getByText('The evidence of gate 1 could have been forged: environment local').waitFor();

    await page.goto('about:blank');
    const file = join(project.folder, 'served.html');
    await project.cli(['report', 'served', '--format', 'html', '--output', file]);
    await page.goto(pathToFileURL(file).href);
    await page
      .getByRole('link', { name: /^served.*mock/ })
      .first()
      .click();
    await page.getByText('Ended: done').waitFor();
    expect(await calls.count()).toBe(4);
    expect(await page.getByText('mcp__test__').count()).toBe(1); // the link at the gate
    const failed = calls.filter({ hasText: 'refuse' });
    expect(await failed.textContent()).toMatch(/MCP test refuse.*failed \d.*it is refused/);
    await page.close();
  });

  test('of two reviews of a run, neither is lost before one is saved', async () => {
    const run = runs[1] ?? '';
    const file = join(project.results, run, 'evaluation.md');
    const page = await browser.newPage();
    await openForm(page, run);
    await page.getByLabel('Score').fill('4/5');
    await page.getByLabel('Notes').fill('Mine: it guessed.');
    const other = await browser.newPage();
    await openForm(other, run);
    await other.getByLabel('Notes').fill('Theirs: it knew.');
    await other.getByRole('button', { name: 'Save the review' }).click();
    await other.getByText('Saved in evaluation.md.').waitFor();
    await other.close();

    await page.getByRole('button', { name: 'Save the review' }).click();
    await page.getByText(/^Not saved: .* Your review is still in the form\.$/).waitFor();
    const notes = page.getByLabel('Notes');
    const theirs = page.getByRole('group', { name: 'What the file says now' });
    expect(await theirs.textContent()).toContain('Theirs: it knew.');
    expect(await notes.inputValue()).toBe('Mine: it guessed.');
    expect(await readFile(file, 'utf8')).not.toContain('Mine');
    expect(await violationsOf(page)).toEqual([]);

    await theirs.getByRole('button', { name: 'Edit this instead' }).click();
    expect(await notes.inputValue()).toBe('Theirs: it knew.');
    const mine = page.getByRole('group', { name: 'What you wrote' });
    expect(await mine.textContent()).toMatch(/Score: 4\/5.*Mine: it guessed\./s);
    await mine.getByRole('button', { name: 'Edit mine again' }).click();
    expect(await notes.inputValue()).toBe('Mine: it guessed.');

    // The file changes once more before the decision.
    await writeFile(file, (await readFile(file, 'utf8')).replace('it knew', 'it looked it up'));
    await page.getByRole('button', { name: 'Replace it with mine' }).click();
    await theirs.getByText('it looked it up').waitFor();
    expect(await notes.inputValue()).toBe('Mine: it guessed.');
    await page.getByRole('button', { name: 'Replace it with mine' }).click();
    await page.getByText('Saved in evaluation.md.').waitFor();
    expect(await readFile(file, 'utf8')).toContain('Mine: it guessed.');
    await page.close();
  });
});
