import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../src/host/process/waiting.js';
import { createProject, EMPTY_FIXTURE, REPOSITORY, scenario, type TestProject } from '../commands/project.js';
import { installPackage } from '../package/install-package.js';

/** A project with the packed package and Vitest, as npm installs them. */
let project: TestProject;
let packed: string;
beforeAll(async () => {
  packed = await mkdtemp(join(tmpdir(), 'llm-tool-test-library-'));
  await installPackage(packed);
  symlinkSync(join(REPOSITORY, 'node_modules/vitest'), join(packed, 'node_modules/vitest'));
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/good.yaml': scenario('good', {
      gates: ['{type: file_exists, path: notes.md}'],
      steps: ['run: touch notes.md'],
    }),
    'more/bad.yaml': scenario('bad', { gates: ['{type: file_exists, path: notes.md}'], steps: ['say: no'] }),
    'more/slow.yaml': scenario('slow', { steps: ['run: "touch started; sleep 600"'] }),
  });
  symlinkSync(join(packed, 'node_modules'), join(project.folder, 'node_modules'));
  for (const file of ['scenarios.test.js', 'vitest.config.js'])
    cpSync(join(REPOSITORY, 'fixtures/vitest', file), join(project.folder, file));
});
afterAll(async () => {
  await project.remove();
  await rm(packed, { recursive: true, force: true });
});

// Not the variables that Vitest sets for these tests.
const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^VITEST|^NODE_ENV$/.test(name)));
const start = (args: string[]) =>
  execa('node', args, {
    cwd: project.folder,
    env: { ...clean, ...project.env },
    extendEnv: false,
    reject: false,
    all: true,
  });

const VITEST = join(REPOSITORY, 'node_modules/vitest/vitest.mjs');

/** Runs a module that uses the package, in the project. */
function use(source: string) {
  writeFileSync(join(project.folder, 'use.mjs'), source);
  return start(['use.mjs']);
}

describe('runScenarios', () => {
  test('starts a sweep, says what happens in it, and returns what `show` prints', async () => {
    const { exitCode, stdout, stderr } = await use(`
      import { runScenarios } from 'llm-tool-test';
      const sweep = await runScenarios({ files: ['good', 'more/bad.yaml'], agents: ['mock'], name: 'lib' });
      const events = [];
      for await (const event of sweep.events())
        events.push(event.type === 'ended' ? [event.type, event.cell.id, event.cell.outcome] : [event.type, event.cell]);
      console.log(JSON.stringify({ id: sweep.id, cells: sweep.cells, events, document: await sweep.result() }));`);
    expect([exitCode, stderr]).toEqual([0, '']);
    const said = JSON.parse(stdout) as { id: string; cells: string[]; events: string[][]; document: unknown };
    expect(said.id).toMatch(/^lib-/);
    const [good, bad] = ['good/mock/default/default/1', 'bad/mock/default/default/1'];
    expect(said.cells).toEqual([good, bad]);
    expect(said.events.filter(([type]) => type === 'ended').sort()).toEqual([
      ['ended', bad, 'fail'],
      ['ended', good, 'pass'],
    ]);
    expect(said.events.filter(([type]) => type === 'started').sort()).toEqual([
      ['started', bad],
      ['started', good],
    ]);
    const { stdout: shown } = await project.cli(['show', said.id, '--json']);
    expect(said.document).toEqual(JSON.parse(shown));
  });

  test('cancels a sweep, by a call or by a signal', async () => {
    const { exitCode, stdout, stderr } = await use(`
      import { runScenarios } from 'llm-tool-test';
      const ends = [];
      for (const bySignal of [false, true]) {
        const controller = new AbortController();
        const sweep = await runScenarios({ files: 'more/slow.yaml', agents: ['mock'], signal: controller.signal });
        for await (const { type } of sweep.events()) if (type === 'started') break;
        if (bySignal) controller.abort();
        const { status, totals } = bySignal ? await sweep.result() : await sweep.cancel();
        ends.push([status, totals.cancelled]);
      }
      console.log(JSON.stringify(ends));`);
    expect([exitCode, stdout, stderr]).toEqual([0, '[["cancelled",1],["cancelled",1]]', '']);
  });

  test('throws a ScenarioError with the places of mistakes, before anything starts', async () => {
    await project.write('more/broken.yaml', 'name: broken\n');
    const { stdout, stderr } = await use(`
      import { runScenarios, ScenarioError } from 'llm-tool-test';
      for (const options of [{ files: 'more/broken.yaml' }, { files: 'more/bad.yaml', agents: ['codex'] }, {}]) {
        const error = await runScenarios(options).catch((error) => error);
        console.log(error instanceof ScenarioError, error.code, error.problems.length > 0, error.message);
      }`);
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^true scenario_invalid true .*nothing was run\nmore\/broken\.yaml:1:1 .*\n> 1 \| name: broken/,
    );
    expect(stdout).toContain("true not_enabled false agent 'codex' may spend money");
    expect(stdout).toContain('true nothing_selected false no scenarios given: set files, all, tags or tier');
  });
});

describe('testScenario with Vitest', () => {
  test('runs the project in fixtures/vitest', async () => {
    const { exitCode, all } = await start([VITEST, 'run', '--reporter', 'verbose']);
    expect(all).toMatch(/✓ scenarios\.test\.js > fixtures > good mock\/default/);
    expect(all).toMatch(/✓ scenarios\.test\.js > costs nothing/);
    expect(exitCode, all).toBe(0);
  });

  test('says why a cell failed and how to see more; runs only the tests that are chosen', async () => {
    await project.write(
      'more.test.js',
      "import { testScenario } from 'llm-tool-test/vitest';\ntestScenario(['more/bad.yaml', 'more/slow.yaml'], { agents: ['mock'] });\n",
    );
    const { exitCode, all } = await start([VITEST, 'run', 'more.test.js', '-t', 'bad mock']);
    expect(exitCode).toBe(1);
    expect(all).toMatch(
      /Error: bad mock\/default: fail: 0\/1 gates passed: .*\n {2}file_exists notes\.md: .*\n {2}llm-tool-test show \S+-bad-\S+/,
    );
    expect(all).toContain('1 failed | 1 skipped (2)');
  });

  test('reports mistakes in scenarios with their places', async () => {
    await project.write('more/wrong.yaml', 'name: wrong\n');
    await project.write(
      'wrong.test.js',
      "import { testScenario } from 'llm-tool-test/vitest';\ntestScenario('more/wrong.yaml');\n",
    );
    const { exitCode, all } = await start([VITEST, 'run', 'wrong.test.js']);
    expect([exitCode, all]).toEqual([1, expect.stringMatching(/ScenarioError: .*\n.*more\/wrong\.yaml:1:1 /)]);
  });

  test('runs a scenario again when it changes in watch mode', async () => {
    const watching = start([VITEST, 'scenarios.test.js', '--watch']);
    let seen = '';
    watching.all.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    try {
      expect(await waitUntil(() => /Waiting for file changes/.test(seen) || null, 60_000, 100)).toBe(true);
      expect(seen).toMatch(/Tests.* 2 passed/);
      seen = '';
      await project.write('fixtures/good.yaml', scenario('good', { gates: ['{type: file_exists, path: other.md}'] }));
      expect(await waitUntil(() => /Tests.* 1 failed/.test(seen) || null, 60_000, 100), seen).toBe(true);
      expect(seen).toContain('file_exists other.md');
    } finally {
      watching.kill();
      await watching;
    }
  });
});

test('testScenario and assertPassed with node:test', async () => {
  mkdirSync(join(project.folder, 'node'), { recursive: true });
  await project.write(
    'node/scenarios.test.mjs',
    `import { test } from 'node:test';
     import { runScenarios } from 'llm-tool-test';
     import { assertPassed, testScenario } from 'llm-tool-test/node';
     testScenario('more/bad.yaml', { agents: ['mock'] });
     test('a sweep', async () => {
       const sweep = await runScenarios({ files: 'more/bad.yaml', agents: ['mock'] });
       await assertPassed(await sweep.result());
     });`,
  );
  const { exitCode, all } = await start(['--test', 'node/scenarios.test.mjs']);
  expect(exitCode, all).toBe(1);
  expect(all).toMatch(
    /bad mock\/default: fail: 0\/1 gates passed: .*\n +file_exists notes\.md: .*\n +llm-tool-test show /,
  );
  expect(all).toMatch(/0 of 1 cells passed\n/);
});
