import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, readTags, textOf } from '../reports/formats/read-tags.js';
import { findPlan } from '../../src/sweeps/find-sweep.js';
import type { EmbeddedReport } from '../../src/viewer/protocol.js';
import { embedSweep } from '../../src/viewer/server/embed-sweep.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { createProject, EMPTY_FIXTURE, filesBelow, scenario, type TestProject } from './project.js';

const HOSTILE = '<script>alert(1)</script> | ::error::pwned';
const MATRIX = 'matrix: {repeat: 2}';

let project: TestProject;
let document: SweepDocument;
beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'llm-tool-test-config.toml': '[agents.absent]\ncommand = "no-such-agent-anywhere"\nfree = true\n',
    'fixtures/good.yaml': scenario('good', {
      gates: ['{type: file_exists, path: README.md}'],
      steps: ['say: done'],
      more: MATRIX,
    }),
    'fixtures/bad.yaml': scenario('bad', {
      gates: [
        '{type: file_exists, path: README.md}',
        `{type: file_contains, path: README.md, substring: '${HOSTILE}'}`,
      ],
      steps: ['say: done'],
      more: MATRIX,
    }),
    'fixtures/lost.yaml': scenario('lost', { more: 'tool_matrix: [{agent: absent}]' }),
  });
  ({ document } = await project.run(['--all']));
});
afterAll(() => project.remove());

/** The report as it is printed. The command succeeds whatever the outcomes are. */
async function report(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await project.cli(['report', ...args], { GITHUB_ACTIONS: '' });
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout;
}

/** A copy of the results as they were before the sweep ended. */
function before(name: string): string {
  const copy = join(project.folder, name);
  cpSync(project.results, copy, { recursive: true });
  rmSync(join(copy, 'sweeps', document.sweep, 'summary.json'));
  const log = join(copy, 'results.jsonl');
  const lines = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => !line.includes('"cell":"lost'));
  writeFileSync(log, lines.join('\n'));
  return copy;
}

describe('report', () => {
  test('is Markdown by default', async () => {
    const text = await report(document.sweep);
    expect(text).toMatch(/^## ❌ llm-tool-test: 2 of 5 passed\n/);
    expect(text).toMatch(/\| bad \| ❌ 0\/2 \|/);
    expect(text).toMatch(/\| ⚠️ error \| lost \| absent\/default \| \\#1 \|  \| .*no-such-agent-anywhere/);
    expect(text).toContain('&lt;script>alert(1)&lt;/script> \\| ::error::pwned');
    const [, link = ''] = /\]\((\S+)\)/.exec(text) ?? [];
    expect(existsSync(join(project.folder, link))).toBe(true);
  });

  test('as JSON is the same document that show prints, also with --json', async () => {
    const { stdout } = await project.cli(['show', 'latest', '--json']);
    expect(await report('latest', '--format', 'json')).toBe(stdout);
    expect(await report('latest', '--json')).toBe(stdout);
  });

  test('as JUnit has one test case per cell', async () => {
    const root = readTags(`${await report('latest', '--format', 'junit')}\n`);
    expect(root.attributes).toMatchObject({ tests: '5', failures: '2', errors: '1', skipped: '0' });
    const [failure] = all(root, 'failure');
    expect(failure && textOf(failure)).toContain(HOSTILE);
  });

  test('as HTML is the page of the viewer with its data: hostile text ends no element', async () => {
    const { exitCode, stdout, stderr } = await project.cli([
      ...['report', 'latest', '--format', 'html', '--output', 'llm-tool-test-results/page.html'],
    ]);
    expect([exitCode, stdout, stderr]).toEqual([0, '', 'report  llm-tool-test-results/page.html']);
    const text = await project.read('llm-tool-test-results/page.html');
    expect(text.match(/<\/?script/g)).toEqual(['<script', '</script', '<script', '</script']);
    const [, data = ''] = /<script type="application\/json" id="report">(.*?)<\/script>/.exec(text) ?? [];
    const { sweep, runs } = JSON.parse(data) as EmbeddedReport;
    expect(sweep.document.totals).toEqual(document.totals);
    expect(JSON.stringify(runs)).toContain(JSON.stringify(HOSTILE).slice(1, -1));
    expect(Object.keys(runs)).toHaveLength(5);
    const [first] = Object.values(runs);
    expect(first).toMatchObject({ answer: { state: 'ended', metrics: { outcome: 'fail' } } });
  });

  test('as HTML says which runs it leaves out, and that the sweep has not ended', async () => {
    const { plan, results } = { plan: findPlan(project.results, document.sweep), results: project.results };
    const some = await embedSweep(results, plan, () => undefined, { ofRun: 100_000, ofRuns: 12_000 });
    const left = Object.values(some.runs).filter((run) => typeof run === 'string');
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(5);
    expect(left[0]).toMatch(/^The page of this run is left out/);
    expect(some.sweep.notes).toEqual([
      expect.stringContaining(`has the pages of ${5 - left.length} of 5 runs, first those that did not pass`),
    ]);
    const short = await embedSweep(results, plan, () => undefined, { ofRun: 10, ofRuns: 1e6 });
    expect(JSON.stringify(short.runs)).toMatch(/\d+ events in the middle are left out of this file/);
    const open = before('open');
    const { sweep } = await embedSweep(open, findPlan(open, document.sweep), () => undefined);
    expect(sweep.notes).toContain('The sweep has not ended. These are the results so far');
  });

  test("for GitHub is appended to the step's summary file; error annotations are printed only in a GitHub workflow", async () => {
    const args = ['report', 'latest', '--format', 'github', '--output', 'summary.md'];
    await project.write('summary.md', '# before\n');
    const there = await project.cli(args, { GITHUB_ACTIONS: 'true' });
    expect(there.stdout).toBe('');
    expect(there.stderr.split('\n').filter((line) => line.startsWith('::'))).toEqual([
      expect.stringMatching(/^::error title=fail%3A bad mock\/default #1::1\/2 gates passed: file_contains/),
      expect.stringMatching(/^::error title=fail%3A bad mock\/default #2::/),
      expect.stringMatching(/^::error title=error%3A lost absent\/default #1::/),
    ]);
    const here = await project.cli(args, { GITHUB_ACTIONS: '' });
    expect(here.stderr).toBe('report  summary.md');
    expect((await project.read('summary.md')).match(/^#+ (?:before|❌)/gm)).toEqual(['# before', '## ❌', '## ❌']);
    const other = await project.cli(['report', 'latest', '--format', 'md'], { GITHUB_ACTIONS: 'true' });
    expect(other.stderr).toBe('');
  });

  test('of a sweep that has not ended says so', async () => {
    const results = before('running');
    expect(await report('latest', '--results', results)).toContain('> The sweep has not ended');
    const root = readTags(`${await report('latest', '--format', 'junit', '--results', results)}\n`);
    expect(root.attributes).toMatchObject({ tests: '5', errors: '0', skipped: '1' });
  });

  test("of deleted or damaged runs has the sweep's own data, and says so", async () => {
    const results = before('removed');
    const foldersOf = (name: string): string[] =>
      document.cells.flatMap(({ scenario: of, results_dir: folder }) =>
        of === name && folder !== null ? [folder.replace(project.results, results)] : [],
      );
    const [gone = '', cut = ''] = foldersOf('bad');
    rmSync(gone, { recursive: true });
    writeFileSync(join(cut, 'metrics.json'), '{"schema_version": 1,');
    const text = await report('latest', '--results', results);
    expect(text).toContain('> 2 runs have been deleted or cannot be read');
    expect(text).toMatch(/❌ fail \| bad .* \| its folder is gone \|/);
    expect(text).toMatch(/❌ fail \| bad .*::error::pwned" \| its metrics\.json cannot be read \|/);
    for (const format of ['html', 'junit', 'github'])
      expect(await report('latest', '--results', results, '--format', format)).toContain('its folder is gone');
  });

  test('reads no files of runs of which it shows no more than their results', async () => {
    const results = before('unread');
    const texts = () =>
      Promise.all(
        ['md', 'junit', 'github'].map((format) => report('latest', '--results', results, '--format', format)),
      );
    const whole = await texts();
    const passed = document.cells.filter(({ outcome }) => outcome === 'pass');
    for (const { results_dir: folder } of passed)
      for (const file of ['artifacts/run.json', 'metrics.json'])
        rmSync(join((folder ?? '').replace(project.results, results), file));
    expect(passed).toHaveLength(2);
    expect(await texts()).toEqual(whole);
  });

  test('reads the tokens of results that have none from the files of their runs', async () => {
    const results = before('older');
    const log = join(results, 'results.jsonl');
    const older = readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => {
        const { token_usage, ...rest } = JSON.parse(line) as { token_usage?: object; results_dir: string };
        const record = join(results, rest.results_dir, 'artifacts/run.json');
        const run = JSON.parse(readFileSync(record, 'utf8')) as { agent: object };
        const agent = { ...run.agent, token_usage: { ...token_usage, input: 123_456 } };
        writeFileSync(record, JSON.stringify({ ...run, agent }));
        return JSON.stringify(rest);
      });
    writeFileSync(log, `${older.join('\n')}\n`);
    expect(await report('latest', '--results', results, '--format', 'junit')).toContain('123456');
  });

  test('replaces an existing file and leaves no temporary file next to it', async () => {
    await project.write('reports/page.html', 'old');
    const { exitCode } = await project.cli(['report', 'latest', '--format', 'html', '--output', 'reports/page.html']);
    expect(exitCode).toBe(0);
    expect(await project.read('reports/page.html')).toMatch(/^<!doctype html>\n[^]*<\/html>\n$/);
    expect(await filesBelow(join(project.folder, 'reports'))).toHaveLength(1);
  });

  test.each<[string, string[], string | null, RegExp]>([
    ['an unknown sweep', ['nonesuch', '--json'], 'unknown_id', /no sweep or run 'nonesuch'/],
    ['no sweep at all', ['latest', '--results', 'nowhere'], null, /'latest' in nowhere/],
    ['an unknown format', ['latest', '--format', 'pdf'], null, /md, json, junit, github, html/],
    ['a missing output folder', ['latest', '--output', 'no/x.md'], null, /folder no does not exist/],
    ['an output path that is not a file', ['latest', '--output', '/dev/stdout'], null, /is not a file/],
    [
      '--json together with --format',
      ['latest', '--json', '--format', 'md'],
      'usage',
      /'--json' cannot be used with option '--format/,
    ],
  ])('is refused with exit 2: %s', async (_, args, code, says) => {
    const { exitCode, stdout, stderr } = await project.cli(['report', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(says);
    expect(stdout === '' ? null : JSON.parse(stdout)).toEqual(
      code === null ? null : expect.objectContaining({ error: expect.objectContaining({ code }) as unknown }),
    );
  });

  test('of a run is refused with exit 2, and the message names the verb that shows runs', async () => {
    const run = document.cells[0]?.results_dir?.split('/').at(-1) ?? '';
    const { exitCode, stderr } = await project.cli(['report', run]);
    expect([exitCode, stderr]).toEqual([
      2,
      `error: '${run}' is a run, not a sweep; show it with \`llm-tool-test show ${run}\``,
    ]);
  });
});
