import { cp, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { renderEvaluation } from '../../src/reports/run/evaluation-md.js';
import { renderReport } from '../../src/reports/run/report-md.js';
import type { Metrics } from '../../src/model/records/result-line.js';
import type { RunRecord } from '../../src/model/records/run-record.js';
import { readActionLog } from '../../src/store/read-events.js';
import { runInProcess } from '../commands/in-process.js';
import { publicTypes } from './public-types.js';

/*
 * Snapshots of what users see: help, types, documents, texts and reports. A change that is meant is accepted with
 * `npx vitest run test/outside -u`, and then reviewed as the diff of `snapshots/`. record.sh makes `recorded/`.
 */

const REPOSITORY = join(import.meta.dirname, '..', '..');
const CLI = join(REPOSITORY, 'dist', 'cli.js');

/** Nothing of the machine and its user shows in the output. */
const ENV = {
  ...Object.fromEntries(
    Object.keys(process.env).flatMap((name) => (/^(LLM_TOOL_TEST_|GITHUB_)/.test(name) ? [[name, '']] : [])),
  ),
  NO_COLOR: '1',
  FORCE_COLOR: '0',
  TZ: 'UTC',
  LC_ALL: 'C',
  CI: '',
  npm_command: '',
  TEMPORAL_ADDRESS: '',
  GITHUB_ACTIONS: 'true', // `report --format github` then prints annotations, too
};

let folder: string;
let runs: { id: string; sweep: string; agent: string; timestamp: string }[];

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'llm-tool-test-outside-')));
  await cp(join(import.meta.dirname, 'project'), folder, { recursive: true });
  await cp(join(import.meta.dirname, 'recorded'), join(folder, 'llm-tool-test-results'), { recursive: true });
  const log = await readFile(join(folder, 'llm-tool-test-results/results.jsonl'), 'utf8');
  runs = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as (typeof runs)[number]);
  const newest = Math.max(...runs.map(({ timestamp }) => Date.parse(timestamp)));
  vi.useFakeTimers({ toFake: ['Date'], now: newest + 3 * 3_600_000 });
});
afterAll(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true, force: true });
});

const cli = (args: string[]) =>
  runInProcess(CLI, args, { cwd: folder, env: { ...ENV, LLM_TOOL_TEST_HOME: join(folder, 'state') } });

/**
 * Replaces what differs between machines: the folder, the sizes of folders, and the last digits of computed numbers.
 */
const normalised = (text: string): string =>
  text
    .replaceAll(folder, '/recorded')
    .replaceAll(join(REPOSITORY, 'specs'), '/package/specs')
    .replaceAll(/\b\d+ kB\b/g, 'n kB')
    .replaceAll(/\d+\.\d{11,}/g, (number) => String(Number(Number(number).toPrecision(10))));

/** Returns command lines with what they print. */
async function printed(...lines: string[]): Promise<string> {
  const parts: string[] = [];
  for (const line of lines) {
    const { exitCode, stdout, stderr } = await cli(line.split(' '));
    const streams = [stdout, stderr === '' ? '' : `stderr: ${stderr}`].filter((text) => text !== '');
    parts.push(`$ ${line}\n${streams.join('\n')}\nexit code ${exitCode}\n`);
  }
  return normalised(parts.join('\n'));
}

const snapshot = (name: string): string => join(import.meta.dirname, 'snapshots', name);

/** The verbs that a help text lists. */
const verbsIn = (help: string): string[] =>
  [...(/^Commands:\n([^]*?)\n(?:\n|$)/m.exec(`${help}\n`)?.[1] ?? '').matchAll(/^ {2}([a-z][a-z-]*)/gm)]
    .map(([, verb = '']) => verb)
    .filter((verb) => verb !== 'help');

test('help of all verbs', async () => {
  const texts: string[] = [];
  const visit = async (path: string[]): Promise<void> => {
    const { exitCode, stdout } = await cli([...path, '--help']);
    expect(exitCode).toBe(0);
    texts.push(normalised(`$ ${[...path, '--help'].join(' ')}\n${stdout}\n`));
    for (const verb of verbsIn(stdout)) await visit([...path, verb]);
  };
  await visit([]);
  await expect(texts.join('\n')).toMatchFileSnapshot(snapshot('help.txt'));
});

test('exports of the library', async () => {
  const values = Object.keys((await import(join(REPOSITORY, 'dist/library.js'))) as object);
  const types = publicTypes(join(REPOSITORY, 'dist/types/index.d.ts'));
  await expect(`// values: ${values.join(', ')}\n\n${types}`).toMatchFileSnapshot(snapshot('library.txt'));
  for (const runner of ['vitest', 'node'])
    await expect(publicTypes(join(REPOSITORY, `dist/types/${runner}.d.ts`))).toMatchFileSnapshot(
      snapshot(`library-${runner}.txt`),
    );
});

const KINDS = 'matrix regraded judged limits cancelled missing mcp skill wording'.split(' ');
/** Kinds of sweeps whose runs are like those of others. */
const WITHOUT_RUNS = 'clear budget nightly'.split(' ');

test.each([...KINDS, ...WITHOUT_RUNS])('the recorded sweep %s', async (kind) => {
  const sweep = runs.findLast((run) => run.sweep.startsWith(`${kind}-`))?.sweep ?? '';
  const ofSweep = runs.filter((run) => run.sweep === sweep);
  const run = (ofSweep.find(({ agent }) => agent === 'events') ?? ofSweep[0])?.id ?? '';
  const parts = [
    await printed(`show ${sweep}`, `show ${sweep} --json`, `report ${sweep}`, `report ${sweep} --format junit`),
  ];
  if (KINDS.includes(kind)) {
    const transcript = `show ${run} --transcript`;
    parts.push(await printed(`show ${run}`, `show ${run} --json`, transcript), await filesOf(run));
    if (kind === 'matrix' || kind === 'mcp') parts.push(await printed(`${transcript} --json`));
  }
  await expect(parts.join('\n')).toMatchFileSnapshot(snapshot(`${kind}.txt`));
});

/** The Markdown files that a run writes. */
async function filesOf(id: string): Promise<string> {
  const at = (file: string): string => join(folder, 'llm-tool-test-results', id, file);
  const run = JSON.parse(await readFile(at('artifacts/run.json'), 'utf8')) as RunRecord;
  const metrics = JSON.parse(await readFile(at('metrics.json'), 'utf8')) as Metrics;
  const report = renderReport(run, metrics, await readActionLog(at('artifacts/events.jsonl'), run.agent));
  return normalised(`report.md:\n${report}\nevaluation.md:\n${renderEvaluation(run, metrics)}`);
}

const VERBS = {
  comparisons: `
    compare matrix --variants plain,guided
    compare matrix --variants plain,guided --explain
    compare matrix --variants plain,guided --format md
    compare matrix --variants plain,guided --json
    compare matrix clear
    compare matrix regraded --gate
    compare mcp --variants without,with --gate
    compare matrix --agents
    compare matrix --agents --format md
    compare matrix --agents --json`,
  lists: `
    sweeps
    sweeps --limit 2 --json
    schedule list
    schedule list --json
    schedule show nightly
    schedule show nightly --json
    validate
    validate --json
    scenarios --all
    scenarios --json
    engine status
    engine status --json
    workers list
    scripts list
    clean --older-than 0d --dry-run`,
  plans: `
    plan notes
    plan notes --json
    run notes judged --dry-run
    run notes --agents mock,events --dry-run --json`,
  errors: `
    show nothing
    show nothing --json
    shwo latest
    report latest --format pdf
    run nothing --dry-run
    compare matrix --variants plain,other
    run notes --repeat 0
    run notes --agents nobody --json`,
  github: `
    report matrix --format github
    report missing --format github`,
};

test.each(Object.entries(VERBS))('%s', async (name, lines) => {
  const texts = await printed(...lines.trim().split(/\n +/));
  await expect(texts).toMatchFileSnapshot(snapshot(`${name}.txt`));
});

test.each(['judged', 'mcp'])('the HTML report of the recorded sweep %s', async (kind) => {
  const { stdout } = await cli(['report', kind, '--format', 'html']);
  const page = stdout
    .replaceAll(/(<style[^>]*>|<script type="module">)[^]*?(?=<\/s)/g, '$1')
    .replaceAll(/'sha256-[^']*'/g, "'sha256-...'")
    .replace(/(?<= id="report">).*(?=<\/script>)/, (json) => JSON.stringify(JSON.parse(json), null, 1));
  await expect(normalised(page)).toMatchFileSnapshot(snapshot(`${kind}.html`));
});
