import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, type TestProject } from '../commands/project.js';
import { CONTROL, HOSTILE_TEXTS } from '../hostile-texts.js';
import { readTags } from '../reports/formats/read-tags.js';
import { lacking, launch } from './browser.js';
import { writeHostileResults } from './hostile-results.js';
import { startViewing, type Viewing } from './viewing.js';

/** The size of anything that is printed or sent for a few runs, whatever is in them. */
const MOST = 2 * 1024 * 1024;

let project: TestProject;
let hostile: ReturnType<typeof writeHostileResults>;
beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
  hostile = writeHostileResults(project.results);
});
afterAll(() => project.remove());

/** Every verb and format that prints results: of text for people, or for programs. */
const printed = ({ sweeps: [base = '', head = ''], runs: [run = ''] }: typeof hostile) =>
  ({
    text: [
      ['sweeps'],
      ['show', base],
      ['show', base, '--all'],
      ['show', run],
      ['show', run, '--all'],
      ['show', run, '--transcript'],
      ['compare', base, head],
      ['compare', base, head, '--explain'],
      ['compare', base, '--agents'],
    ],
    markdown: [
      ['compare', base, head, '--format', 'md'],
      ['compare', base, '--agents', '--format', 'md'],
      ['report', base],
      ['report', base, '--format', 'github'],
    ],
    json: [
      ['sweeps', '--json'],
      ['show', base, '--json'],
      ['show', run, '--json'],
      ['show', run, '--transcript', '--json'],
      ['compare', base, head, '--json'],
      ['compare', base, '--agents', '--json'],
      ['report', base, '--format', 'json'],
    ],
    xml: [['report', base, '--format', 'junit']],
  }) satisfies Record<string, string[][]>;

/** The text around the first character that must not be there, as JSON; null if there is none. */
function whereIn(text: string): string | null {
  const at = text.search(CONTROL);
  return at === -1 ? null : JSON.stringify(text.slice(Math.max(0, at - 120), at + 20));
}

async function output(args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await project.cli(args, { GITHUB_ACTIONS: 'true' });
  expect([0, 1, 3, 4]).toContain(exitCode);
  expect(stderr).not.toMatch(CONTROL);
  return stdout;
}

describe('hostile results', () => {
  test('reach no terminal and no Markdown with a character that controls them', async () => {
    const { text, markdown } = printed(hostile);
    for (const args of [...text, ...markdown]) {
      const out = await output(args);
      expect(out.length).toBeGreaterThan(0);
      expect({ args: args.slice(0, 1), found: whereIn(out) }).toEqual({
        args: args.slice(0, 1),
        found: null,
      });
    }
  });

  test('end no element and no link of Markdown', async () => {
    for (const args of printed(hostile).markdown) {
      // Between backticks, nothing is markup.
      const out = (await output(args)).replace(/`[^`\n]*`/g, '');
      expect(out).not.toMatch(/(?<!\\)\]\((javascript|https:\/\/evil)/i);
      expect(out).not.toMatch(/^::/m);
      expect(out).not.toMatch(/<(script|img|iframe|a )/);
    }
  });

  test('are well-formed JSON and XML, in which no text is lost', async () => {
    const { json, xml } = printed(hostile);
    for (const args of json) {
      const lines = (await output(args)).trim();
      expect(() => JSON.parse(lines) as unknown, args.join(' ')).not.toThrow();
    }
    for (const args of xml) expect(readTags(`${await output(args)}\n`).tag).not.toBe('x');
    const script = HOSTILE_TEXTS['the end of a script'] ?? '';
    expect(JSON.stringify(JSON.parse(await output(json[1] ?? [])))).toContain(script);
  });
});

describe.skipIf(lacking !== null)(`in a browser${lacking === null ? '' : ` (${lacking})`}`, () => {
  let browser: Browser;
  let page: Page;
  let viewing: Viewing;
  const dialogs: string[] = [];
  let asked: string[] = [];

  beforeAll(async () => {
    viewing = await startViewing(project);
    browser = await launch();
    page = await browser.newPage();
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('request', (request) => asked.push(request.url()));
  });
  afterAll(async () => {
    await browser.close();
    await viewing.stop();
  });

  /** Fails if anything ran, was loaded, or could deceive who reads the page. */
  async function expectHarmless(allowed: string): Promise<void> {
    const requests = asked;
    asked = [];
    await page.waitForLoadState();
    await page.locator('details:not([open])').evaluateAll((all) => {
      for (const details of all) details.setAttribute('open', '');
    });
    expect(dialogs).toEqual([]);
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
    expect(requests.filter((url) => !url.startsWith(allowed) && !/^(about:blank|data:,)/.test(url))).toEqual([]);
    expect(await page.locator('main :is(img, iframe, script, style, form[action], object)').count()).toBe(0);
    expect(await page.locator('a:not([href^="#"])').count()).toBe(0);
    const text = await page.evaluate(() => document.body.innerText + document.title);
    const [found] = CONTROL.exec(text) ?? [];
    expect(found === undefined ? null : text.slice(Math.max(0, text.indexOf(found) - 60)).slice(0, 80)).toBe(null);
    expect(text.length).toBeLessThan(MOST);
  }

  const places = (): [place: string, shown: string][] => {
    const [base = '', head = ''] = hostile.sweeps;
    const sweep = `/sweeps/${encodeURIComponent(base)}`;
    return [
      ['/', 'main .sweep'],
      [sweep, 'main .run'],
      [`${sweep}?filter=${encodeURIComponent('"<img src=x onerror=alert(1)>" nothing:"\u202e"')}`, 'main .filters'],
      [`/runs/${hostile.runs[0] ?? ''}`, 'main .gates'],
      [`/compare?${new URLSearchParams({ base, head }).toString()}`, 'main .verdict'],
      [`/beside?${new URLSearchParams({ base, head }).toString()}`, 'main .side .gates'],
      ['/scenarios/%3Cimg%20src=x%20onerror=alert(1)%3E%E2%80%AE', 'main p'],
      ['/runs/%3Cimg%20src=x%20onerror=alert(1)%3E%E2%80%AE', 'main [role=alert]'],
    ];
  };

  test('no page of the viewer runs, loads or hides anything', async () => {
    await page.goto(viewing.url);
    const { origin } = new URL(viewing.url);
    for (const [place, shown] of places()) {
      await page.goto('about:blank');
      await page.goto(`${viewing.url}${place}`);
      await page.locator(shown).first().waitFor();
      await expectHarmless(origin);
    }
  });

  test('no page of a report in one file does', async () => {
    const file = join(project.folder, 'hostile.html');
    const [base = ''] = hostile.sweeps;
    await project.cli(['report', base, '--format', 'html', '--output', file]);
    const url = pathToFileURL(file).href;
    for (const [place, shown] of places().slice(1, 4)) {
      await page.goto('about:blank');
      await page.goto(`${url}#${place}`);
      await page.locator(shown).first().waitFor();
      await expectHarmless(url);
    }
  });

  test('a JUnit report is XML for a browser too', async () => {
    const xml = await output(printed(hostile).xml[0] ?? []);
    await page.goto('about:blank');
    const problem = await page.evaluate(
      (text) => new DOMParser().parseFromString(text, 'application/xml').querySelector('parsererror')?.textContent,
      xml,
    );
    expect(problem).toBeUndefined();
  });
});
