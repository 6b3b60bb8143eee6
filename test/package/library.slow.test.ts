import { existsSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, REPOSITORY, scenario, type TestProject } from '../commands/project.js';
import { blocks } from '../documents/documents.js';
import { installPackage } from './install-package.js';

/** A folder with the package. Nothing of Temporal is installed there, so a library that loads it cannot be imported. */
let folder: string;
let project: TestProject;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-library-'));
  await installPackage(folder, /^@temporalio\//);
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/notes.yaml': scenario('notes', {
      gates: ['{type: file_exists, path: notes.md}'],
      steps: ['run: "echo $CONTENT; $DO"'],
    }),
  });
  const file = join(project.folder, 'fixtures/notes.yaml');
  const text = await project.read('fixtures/notes.yaml');
  for (const [name, command] of [
    ['before', 'touch notes.md'],
    ['after', 'touch other.md'],
  ] as const) {
    writeFileSync(file, text.replace('echo $CONTENT; $DO', command));
    await project.run(['notes', '--name', name]);
  }
});
afterAll(async () => {
  await project.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a module that uses the package, in the project's folder. */
async function use(source: string, ...args: string[]) {
  const file = join(folder, 'use.mjs');
  writeFileSync(file, source);
  return execa('node', [file, ...args], {
    cwd: project.folder,
    env: { LLM_TOOL_TEST_HOME: join(folder, 'state') },
    reject: false,
  });
}
const example = blocks('ts').find(({ place }) => place.startsWith('specs/reference/library.md'))?.text ?? '';

/** The output of a command with --json. */
const printed = async (...args: string[]): Promise<unknown> =>
  JSON.parse((await project.cli([...args, '--json'])).stdout) as unknown;

describe('the library, imported from the installed package', () => {
  test('starts and prints nothing, and creates no files', async () => {
    const { exitCode, stdout, stderr } = await use(
      `import * as library from 'llm-tool-test';
       console.log(Object.keys(library).sort().join(), process.getActiveResourcesInfo().filter((name) => !/TTY|Pipe|Req/.test(name)));`,
    );
    expect([exitCode, stdout, stderr]).toEqual([
      0,
      'ResultsError,ScenarioError,compareSweeps,readRun,readSweep,runScenarios []',
      '',
    ]);
    expect(existsSync(join(folder, 'state'))).toBe(false);
  });

  test('reads the documents that commands print', async () => {
    const { stdout, stderr } = await use(
      `import { compareSweeps, readRun, readSweep } from 'llm-tool-test';
       const [results] = process.argv.slice(2);
       const [before, after] = [await readSweep(results, 'before'), await readSweep(results)];
       const { folder, run, metrics } = await readRun(results, after.cells[0]);
       const comparisons = [await compareSweeps('before', 'latest', { results }), await compareSweeps(before, after, { results })];
       console.log(JSON.stringify({ before, after, folder, run: { run, metrics }, comparisons }));`,
      project.results,
    );
    expect(stderr).toBe('');
    const read = JSON.parse(stdout) as { after: { cells: { results_dir: string }[] }; folder: string };
    const comparison = await printed('compare', 'before', 'after');
    // The page in the Web UI is that of the engine of the tests.
    const noPage = { ui_url: null };
    expect(read).toEqual({
      before: { ...((await printed('show', 'before')) as object), ...noPage },
      after: { ...((await printed('show', 'latest')) as object), ...noPage },
      folder: read.after.cells[0]?.results_dir,
      run: await printed('show', read.folder.split('/').at(-1) ?? ''),
      comparisons: [comparison, comparison],
    });
    expect(comparison).toMatchObject({ verdict: 'too few runs' });
    expect(existsSync(join(folder, 'state'))).toBe(false);
  });

  test('iterates over the events of a run, more than once', async () => {
    const { stdout, stderr } = await use(
      `import { readRun, readSweep } from 'llm-tool-test';
       const [results] = process.argv.slice(2);
       const { events } = await readRun(results, (await readSweep(results, 'before')).cells[0]);
       for (let time = 1; time <= 2; time++) for await (const { seq, type } of events()) console.log(time, seq, type);`,
      project.results,
    );
    expect(stderr).toBe('');
    const types = ['tool_call', 'tool_result', 'result'];
    expect(stdout.split('\n')).toEqual(
      [1, 2].flatMap((time) => types.map((type, index) => `${time} ${index + 1} ${type}`)),
    );
  });

  test.each([
    ['an unknown sweep', `readSweep(results, 'befroe')`, ['show', 'befroe'], 'unknown_id'],
    ['an unknown run', `readRun(results, 'nothing')`, ['show', 'nothing'], 'unknown_id'],
    ['the same sweep twice', `compareSweeps('after', 'latest', { results })`, ['compare', 'after'], 'usage'],
    [
      'an unknown variant',
      `compareSweeps('before', 'after', { results, variants: ['a', 'b'] })`,
      ['compare', 'before', 'after', '--variants', 'a,b'],
      'unknown_variant',
    ],
  ])('throws a ResultsError with the code and the message of the command: %s', async (what, call, command, code) => {
    const { stdout, stderr } = await use(
      `import { compareSweeps, readRun, readSweep, ResultsError } from 'llm-tool-test';
       const [results] = process.argv.slice(2);
       const error = await ${call}.catch((error) => error);
       console.log(JSON.stringify([error instanceof ResultsError, error instanceof Error, error.name, error.code, error.message]));`,
      project.results,
    );
    expect(stderr).toBe('');
    const { error } = (await printed(...command)) as { error: { code: string; message: string } };
    expect(error.code).toBe(code);
    // `show` looks for runs too
    const message = what === 'an unknown sweep' ? error.message.replace('sweep or run', 'sweep') : error.message;
    expect(JSON.parse(stdout)).toEqual([true, true, 'ResultsError', code, message]);
  });

  test('runs the example in the reference', async () => {
    const { exitCode, stdout, stderr } = await use(example);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\S+: .*notes\.md.*\n {2}\$ touch other\.md\ntoo few runs; undecided$/);
  });
});

describe('the types, without any other package', () => {
  /** Wrong uses must be errors: TypeScript complains about each `@ts-expect-error` that is not needed. */
  const USES = `
import { compareSweeps, readRun, readSweep, ResultsError } from 'llm-tool-test';
import type { AgentEvent, Comparison, Outcome, RunEvent, SweepDocument } from 'llm-tool-test';

const sweep: SweepDocument = await readSweep('results');
const outcome: Outcome | null | undefined = sweep.cells[0]?.outcome;
const { run, metrics, events } = await readRun('results', 'id');
const started: number | null = run.starts;
const passed: boolean | undefined = metrics.details[0]?.passed;
for await (const event of events()) {
  const { seq, ts }: RunEvent = event;
  if (event.type === 'tool_call') event.command satisfies string | null;
  // @ts-expect-error: only calls have a name
  event.name;
  // @ts-expect-error: there is no such type of event
  if (event.type === 'tool_cal') console.log(seq, ts);
}
const comparison: Comparison = await compareSweeps(sweep, 'latest', { results: 'results', variants: ['a', 'b'] });
const verdict: 'better' | 'worse' | 'no difference shown' | 'too few runs' | 'nothing to compare' = comparison.verdict;
const said: AgentEvent = { type: 'message', role: 'assistant', text: '' };
const error = new ResultsError('unknown_id', 'no sweep');
console.log(outcome, started, passed, verdict, said, error.code satisfies string);

// @ts-expect-error: a number is not the id of a sweep
await readSweep('results', 5);
// @ts-expect-error: the results folder is missing
await compareSweeps('a', 'b', {});
// @ts-expect-error: null is not true or false
const wrong: boolean = sweep.cost_usd;
// @ts-expect-error: an agent does not print commands of the scenario
const other: AgentEvent = { type: 'post_script' };
console.log(wrong, other);
`;

  test.each([
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])('are right in strict mode with module %s and moduleResolution %s', async (module, moduleResolution) => {
    const own = join(folder, 'types', moduleResolution);
    await mkdir(own, { recursive: true });
    const write = (name: string, content: string): void => writeFileSync(join(own, name), content);
    write('package.json', '{"type":"module"}');
    write('uses.ts', USES);
    write('example.ts', example);
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2022',
      lib: ['es2022', 'dom'],
      types: [],
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
    };
    write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['uses.ts', 'example.ts'] }));
    const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
    const { exitCode, stdout } = await execa('node', [tsc, '-p', own], { reject: false });
    expect([exitCode, stdout]).toEqual([0, '']);
  });
});
