import { chmod, cp, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { inject } from 'vitest';
import { readTextIfThere } from '../../src/host/fs/read-file.js';
import { waitUntil } from '../../src/host/process/waiting.js';
import type { JudgeAnswer } from '../../src/model/records/judgment.js';
import type { RunRecord } from '../../src/model/records/run-record.js';
import type { Metrics, ResultLine } from '../../src/model/records/result-line.js';
import { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { isBusy, runInProcess, type Ended } from './in-process.js';
import { giveBack, removePlace, resultsOf, takePlace, type Place } from './places.js';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
export const CLI = join(REPOSITORY, 'dist', 'cli.js');
const WORKER = join(REPOSITORY, 'dist', 'worker.js');

// A copy, since a command in this process changes the environment while it runs.
const ownEnv = { ...process.env };
const startProgram = (program: string, cwd: string, args: string[], env: Record<string, string>) =>
  execa(program, args, { cwd, env: { ...ownEnv, ...env }, extendEnv: false, reject: false, stdin: 'ignore' });
type Running = ReturnType<typeof startProgram>;

/** Variables that a process reads only once. */
const READ_ONCE = ['NODE_OPTIONS', 'PATH'];

/** A folder with its own scenarios, the built command line run in it, and an engine. */
export interface TestProject {
  folder: string;
  results: string;
  state: string;
  env: Record<string, string>;
  /** Runs the command line to its end, in this process if possible. */
  cli(args: string[], env?: Record<string, string>): Promise<Ended>;
  /** Starts the command line as a process of its own, in a folder of the project, without waiting for its end. */
  start(args: string[], env?: Record<string, string>, below?: string): Running;
  /** Starts a worker as the keeper does, but without a keeper. `address`: of a server that the engine does not own. */
  startWorker(address: string, more?: string[]): Running;
  /** Runs `run ... --json`; returns the exit code and the document. */
  run(
    args: string[],
    env?: Record<string, string>,
  ): Promise<{ exitCode: number | undefined; document: SweepDocument; stderr: string }>;
  write(path: string, content: string, mode?: number): Promise<void>;
  read(path: string): Promise<string>;
  resultLines(): Promise<ResultLine[]>;
  remove(): Promise<void>;
}

export interface ProjectOptions {
  /** Use a Temporal server of its own, found and started by the engine. */
  ownServer?: boolean;
  /** Use an engine that no other test file uses: for tests that configure or damage it. */
  ownEngine?: boolean;
  /** Where the state folder is created; by default the temporary folder, which is never visible in a sandbox. */
  stateIn?: string;
}

/** Files are paths relative to the project's folder. */
export async function createProject(files: Record<string, string>, options: ProjectOptions = {}): Promise<TestProject> {
  const { ownServer = false, ownEngine = ownServer, stateIn } = options;
  const isShared = !ownEngine && stateIn === undefined;
  const place = isShared ? await takePlace() : await makePlace(stateIn);
  const { folder, state } = place;
  const env: Record<string, string> = {
    LLM_TOOL_TEST_HOME: state,
    NO_COLOR: '1',
    CI: '',
    LLM_TOOL_TEST_ENABLED: '',
    npm_command: '', // npx may have started the tests, but not the commands under test
    TEMPORAL_ADDRESS: ownServer ? '' : inject('temporalAddress'),
  };
  const start: TestProject['start'] = (args, more = {}, below = '') =>
    startProgram(CLI, resolve(folder, below), args, { ...env, ...more });
  const cli: TestProject['cli'] = async (args, more = {}) => {
    const isApart =
      // An agent script writes to the stderr of the process.
      args.slice(0, 2).join(' ') === 'scripts run' || READ_ONCE.some((name) => ({ ...env, ...more })[name]);
    if (!isBusy() && !isApart) return runInProcess(CLI, args, { cwd: folder, env: { ...env, ...more } });
    const { exitCode, stdout, stderr } = await start(args, more);
    return { exitCode, stdout, stderr };
  };
  const project: TestProject = {
    folder,
    results: resultsOf(place),
    state,
    env,
    start,
    startWorker: (address, more = []) =>
      startProgram(
        process.execPath,
        folder,
        [WORKER, '--results', resultsOf(place), '--address', address, '--external', ...more],
        env,
      ),
    cli,
    async run(args, more) {
      const { exitCode, stdout, stderr } = await cli(['run', ...args, '--json'], more);
      const parsed = SweepDocument.safeParse(JSON.parse(stdout === '' ? 'null' : stdout));
      if (!parsed.success) throw new Error(`no sweep document: exit ${exitCode}\n${stdout}\n${stderr}`);
      return { exitCode, document: parsed.data, stderr };
    },
    async write(path, content, mode = 0o644) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      await chmod(file, mode);
    },
    read: (path) => readFile(join(folder, path), 'utf8'),
    async resultLines() {
      const text = (await readTextIfThere(join(folder, 'llm-tool-test-results', 'results.jsonl'))) ?? '';
      // Text after the last newline is a line that is still being written.
      const lines = text.split('\n').slice(0, -1);
      return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as ResultLine]));
    },
    remove: () => (isShared ? giveBack(place) : removePlace(place)),
  };
  for (const [path, content] of Object.entries(files)) await project.write(path, content);
  return project;
}

const makePlace = async (stateIn = tmpdir()): Promise<Place> => ({
  folder: await mkdtemp(join(tmpdir(), 'llm-tool-test-project-')),
  state: await mkdtemp(join(stateIn, 'llm-tool-test-state-')),
});

export interface ScenarioOptions {
  target?: string | null;
  gates?: string[];
  steps?: string[];
  /** More lines at the top level. */
  more?: string;
}

/** The YAML of a scenario with the fixture folder `empty`; gates and steps are in flow style. */
export function scenario(
  name: string,
  { target = '{binary: cat}', gates = [], steps = [], more = '' }: ScenarioOptions = {},
): string {
  const list = (items: string[], indent: string): string =>
    items.length === 0 ? ' []' : `\n${items.map((item) => `${indent}- ${item}`).join('\n')}`;
  return [
    `name: ${name}`,
    `description: ${name}`,
    'template_folder: empty',
    ...(target === null ? [] : [`target: ${target}`]),
    'task: {prompt: "do it"}',
    `evaluation:\n  gates:${list(gates, '    ')}`,
    ...(steps.length === 0 ? [] : [`mock:\n  steps:${list(steps, '    ')}`]),
    more,
    '',
  ].join('\n');
}

export const EMPTY_FIXTURE = { 'fixtures/empty/README.md': 'nothing\n' };

/** Copies the repository's examples into a project. */
export const copyExamples = (project: TestProject): Promise<void> =>
  cp(join(REPOSITORY, 'fixtures'), join(project.folder, 'fixtures'), { recursive: true });

/** The document of a sweep that a command printed with `--json`. */
export function documentOf(stdout: string): SweepDocument {
  const document = JSON.parse(stdout) as SweepDocument | { error: unknown };
  if ('cells' in document) return document;
  throw new Error(`no sweep document: ${stdout}`);
}

/** A sweep's document with the cells of one scenario only, for tests that share a sweep of unrelated scenarios. */
export const cellsOf = (document: SweepDocument, name: string): SweepDocument => ({
  ...document,
  cells: document.cells.filter(({ scenario }) => scenario === name),
});

/** Paths of all files below a folder; none if it does not exist. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

export interface RunFolder {
  run: RunRecord;
  metrics: Metrics;
  path: (file: string) => string;
  text: (file: string) => Promise<string>;
}

/** Opens the results folder of a cell's run. */
export async function openRun(document: SweepDocument, cell = 0): Promise<RunFolder> {
  const folder = document.cells[cell]?.results_dir;
  if (folder === null || folder === undefined)
    throw new Error(`cell ${cell} has no results: ${JSON.stringify(document.cells[cell])}`);
  const text = (file: string): Promise<string> => readFile(join(folder, file), 'utf8');
  return {
    run: JSON.parse(await text('artifacts/run.json')) as RunRecord,
    metrics: JSON.parse(await text('metrics.json')) as Metrics,
    path: (file) => join(folder, file),
    text,
  };
}

/** The answers of a judge in a run, in order. */
export const answersIn = async ({ path, text }: RunFolder): Promise<JudgeAnswer[]> => {
  const names = (await readdir(path('artifacts/judge'))).filter((name) => name.startsWith('answer-')).sort();
  return Promise.all(names.map(async (name) => JSON.parse(await text(`artifacts/judge/${name}`)) as JudgeAnswer));
};

/** Waits for a state; throws an error with its name if it is not reached in time. */
export async function until<T>(
  what: string,
  check: () => Promise<T | null> | T | null,
  timeoutMs = 120_000,
): Promise<T> {
  const found = await waitUntil(check, timeoutMs);
  if (found === null) throw new Error(`did not happen in time: ${what}`);
  return found;
}
