import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

let project: TestProject;

/** Writes a scenario together with its own fixture, target, gate script and agent. */
async function writeScenario(name: string, more = '', steps = ["say: 'hello'"]): Promise<void> {
  await project.write(`fixtures/${name}/README.md`, 'nothing\n');
  for (const [file, text] of [
    [`bin/${name}`, 'echo version 1'],
    [`${name}-check.sh`, 'exit 0'],
    [`${name}-agent.sh`, 'echo hello'],
  ] as const)
    await project.write(file, `#!/bin/sh\n${text}\n`, 0o755);
  const text = scenario(name, {
    target: `{binary: ../bin/${name}, health_check: ${name}, files: []}`,
    gates: [`{type: command_succeeds, command: ${join(project.folder, `${name}-check.sh`)}}`],
    steps,
    more,
  });
  await project.write(`fixtures/${name}.yaml`, text.replace('template_folder: empty', `template_folder: ${name}`));
}

/** The changes between two runs, by the name of the scenario. */
const CHANGES: Record<string, () => Promise<void>> = {
  instructions: () => project.write('fixtures/instructions/AGENTS.md', 'be brief'),
  prompt: async () =>
    project.write('fixtures/prompt.yaml', (await project.read('fixtures/prompt.yaml')).replace('do it', 'go')),
  script: () => project.write('script-check.sh', '#!/bin/sh\ntrue\n', 0o755),
  target: () => project.write('bin/target', '#!/bin/sh\necho version 2\n', 0o755),
  program: () => project.write('program-agent.sh', '#!/bin/sh\necho hi\n', 0o755),
};

/** The same for scenarios that depend on files outside their fixture: a package of the target, paths in commands. */
const OUTSIDE: Record<string, () => Promise<void>> = {
  library: () => project.write('package/lib/main.js', "console.log('broken');"),
  declared: () => project.write('declared/lib.sh', 'echo 2'),
  quoted: () => project.write('with space/check.sh', 'true'),
  escaped: () => project.write('with space/escaped.sh', 'true'),
  folder: () => project.write('data/deep/new.txt', ''),
  'value of target.env': () => project.write('settings/config.json', '{"a": 2}'),
};

async function writeOutside(): Promise<void> {
  const at = (path: string): string => join(project.folder, path);
  await project.write('package/package.json', '{"name": "tool", "version": "1.0.0"}');
  await project.write('package/bin/tool', "#!/usr/bin/env node\nrequire('../lib/main.js');\n", 0o755);
  await project.write('package/lib/main.js', "console.log('fine');");
  await project.write('declared/tool', `#!/bin/sh\n. ${at('declared')}/lib.sh\n`, 0o755);
  await project.write('declared/lib.sh', 'echo 1');
  await project.write('alone/tool', '#!/bin/sh\necho hello\n', 0o755);
  for (const path of ['with space/check.sh', 'with space/escaped.sh']) await project.write(path, 'exit 0');
  await project.write('data/deep/old.txt', '');
  await project.write('settings/config.json', '{"a": 1}');
  const gate = (command: string): string[] => [`{type: command_succeeds, command: ${JSON.stringify(command)}}`];
  const write = (name: string, options: Parameters<typeof scenario>[1]): Promise<void> =>
    project.write(
      `fixtures/${name}.yaml`,
      scenario(name, {
        gates: ['{type: file_exists, path: README.md}'],
        steps: ["say: 'hello'"],
        ...options,
      }),
    );
  await write('library', { target: '{binary: ../package/bin/tool}' });
  await write('declared', { target: '{binary: ../declared/tool, files: [../declared]}' });
  await write('unknown', { target: '{binary: ../alone/tool}' });
  await write('quoted', { gates: gate(`sh "${at('with space/check.sh')}"`) });
  await write('escaped', { gates: gate(`sh ${at('with space/escaped.sh').replaceAll(' ', '\\ ')}`) });
  await write('folder', { gates: gate(`ls ${at('data')}`) });
  await write('value of target.env', {
    target: `{binary: cat, env: {SETTINGS: ${at('settings/config.json')}}}`,
  });
  await write('unchanged', { gates: gate(`ls ${at('data/deep/old.txt')}`) });
}

const cachedOf = ({ cells }: SweepDocument): string[] =>
  cells.flatMap(({ scenario: name, cached }) => (cached ? [name] : []));
const runFolders = async (): Promise<number> =>
  (await readdir(project.results)).filter((name) => /^\d{8}-\d{6}-/.test(name)).length;

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'llm-tool-test-config.toml': '[agents.own]\ncommand = "./program-agent.sh"\nfree = true\n',
  });
  for (const name of ['same', 'gone', ...Object.keys(CHANGES)])
    await writeScenario(name, name === 'program' ? 'tool_matrix: [{tool: own}]' : '');
  await writeScenario('refused', 'cost: {cache: false}');
  await writeScenario('incomplete', '', ['exit: 7']);
});
afterAll(() => project.remove());

describe('a finished run', () => {
  let first: SweepDocument;
  let second: SweepDocument;
  let third: SweepDocument;
  let folders: number[];

  beforeAll(async () => {
    const runAll = async (): Promise<SweepDocument> => {
      const { exitCode, document } = await project.run(['--all']);
      expect(exitCode).toBe(0);
      return document;
    };
    first = await runAll();
    for (const change of Object.values(CHANGES)) await change();
    const gone = first.cells.find(({ scenario: name }) => name === 'gone')?.results_dir;
    if (typeof gone !== 'string') throw new Error(`no folder to remove: ${gone}`);
    await rm(gone, { recursive: true });
    second = await runAll();
    folders = [await runFolders()];
    third = await runAll();
    folders.push(await runFolders());
  });

  test('is reused by a cell with the same inputs, and shown as cached', async () => {
    expect(first.totals).toMatchObject({ passed: 9, cached: 0 });
    const of = ({ cells }: SweepDocument) => cells.find(({ scenario: name }) => name === 'same');
    expect(of(second)).toMatchObject({
      cached: true,
      attempts: 0,
      results_dir: of(first)?.results_dir,
      gates_passed: 1,
    });
    const lines = await project.resultLines();
    expect(lines.find(({ sweep, scenario_id }) => sweep === second.sweep && scenario_id === 'same')).toMatchObject({
      cached_from: of(first)?.results_dir?.split('/').at(-1),
    });
    expect((await project.cli(['run', 'same'])).stdout).toMatch(/same +mock.*cached\n/);
  });

  test.each([
    ["the fixture's AGENTS.md", 'instructions'],
    ['the prompt', 'prompt'],
    ['a script outside the fixture', 'script'],
    ['the target, and so what the health check prints', 'target'],
    ["the agent's program", 'program'],
  ])('is not reused after a change of %s; the new run is reused later', (_, name) => {
    expect(cachedOf(second)).not.toContain(name);
    expect(cachedOf(third)).toContain(name);
  });

  test('is not reused when its folder is missing', () => {
    expect(cachedOf(second)).not.toContain('gone');
    expect(cachedOf(third)).toContain('gone');
  });

  test('is not reused where the scenario sets cache: false', () => {
    for (const document of [second, third]) expect(cachedOf(document)).not.toContain('refused');
  });

  test('is reused even if its agent did not complete: otherwise failures would be rerun until they pass', () => {
    for (const document of [second, third]) expect(cachedOf(document)).toContain('incomplete');
  });

  test('has no folder of its own where an earlier run is reused', () => {
    const [before = 0, after = 0] = folders;
    expect(second.totals.cached).toBe(2);
    expect(after - before).toBe(third.totals.cells - third.totals.cached);
  });

  test('is not reused with --no-cache; the new run is reused later', async () => {
    const { document } = await project.run(['same', '--no-cache']);
    expect(document.totals.cached).toBe(0);
    const { document: later } = await project.run(['same']);
    expect(later.cells[0]).toMatchObject({ cached: true, results_dir: document.cells[0]?.results_dir });
  });

  test('is not reused by another repetition, another model or another agent', async () => {
    const args = ['same', '--repeat', '2', '--models', 'default,other', '--agents', 'mock,own'];
    const { document } = await project.run(args);
    expect(document.totals).toMatchObject({ cells: 8, passed: 8 });
    expect(document.cells.filter(({ cached }) => cached).map(({ id }) => id)).toEqual(['same/mock/default/default/1']);
    expect((await project.run(args)).document.totals.cached).toBe(8);
  });
});

describe('an input of a run outside its fixture', () => {
  const names = ['unchanged', 'unknown', ...Object.keys(OUTSIDE)];
  let first: Awaited<ReturnType<TestProject['run']>>;
  let second: SweepDocument;

  beforeAll(async () => {
    await writeOutside();
    first = await project.run(names);
    for (const change of Object.values(OUTSIDE)) await change();
    ({ document: second } = await project.run(names));
  });

  test.each(Object.keys(OUTSIDE))('prevents reuse when it changes: %s', (name) => {
    expect(cachedOf(second)).not.toContain(name);
  });

  test('causes no other cell to be run again', async () => {
    expect(first.document.totals).toMatchObject({ passed: names.length, cached: 0 });
    expect(cachedOf(second)).toEqual(['unchanged']);
    const { document: third } = await project.run(names);
    expect(names.filter((name) => !cachedOf(third).includes(name))).toEqual(['unknown']);
  });

  test('is unknown for a script outside a package: no run is reused, and the warning says why and what to declare', async () => {
    const at = first.document.cells.findIndex(({ scenario: name }) => name === 'unknown');
    const { run, text } = await openRun(first.document, at);
    expect(run.warnings).toEqual([
      expect.stringMatching(/will not be reused: .*alone\/tool is a script outside a package: list .*target\.files/),
    ]);
    expect(await text('report.md')).toContain('target.files');
    expect(first.stderr).toMatch(/unknown\.yaml: results are not reused: .*alone\/tool is a script outside a package/);
    expect(first.stderr).not.toMatch(/library\.yaml: results/);
    const { exitCode, stderr } = await project.cli(['validate']);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/unknown\.yaml: results are not reused/);
  });

  test("changes the target's fingerprint in run.json when it changes", async () => {
    const of = async (document: SweepDocument, name: string): Promise<string | null> => {
      const at = document.cells.findIndex((cell) => cell.scenario === name);
      return (await openRun(document, at)).run.target?.fingerprint ?? null;
    };
    for (const name of ['library', 'declared']) expect(await of(second, name)).not.toBe(await of(first.document, name));
    expect(await of(second, 'unknown')).toBe(await of(first.document, 'unknown'));
  });

  test.each([
    ['the language', { LANG: 'de_DE.UTF-8' }],
    ['the time zone', { TZ: 'Asia/Tokyo' }],
    ['a value in the env of the agent', { FLAVOUR: 'sour' }],
  ])('prevents reuse when it changes: %s', async (_name, changed) => {
    const config = '[agents.own]\ncommand = "./program-agent.sh"\nfree = true\nenv = {FLAVOUR = "${FLAVOUR}"}\n';
    await project.write('llm-tool-test-config.toml', config);
    const env = { LANG: 'C.UTF-8', TZ: 'UTC', FLAVOUR: 'sweet' };
    const args = ['unchanged', '--agents', 'own'];
    await project.run(args, env);
    const cached = async (more: object): Promise<number> =>
      (await project.run(args, { ...env, ...more })).document.totals.cached;
    expect([await cached({}), await cached(changed)]).toEqual([1, 0]);
  });

  test('prevents later reuse, with a warning, if the target changes while the run is in progress', async () => {
    await project.write('moving/package.json', '{"name": "tool"}');
    await project.write('moving/tool', '#!/bin/sh\ntrue\n', 0o755);
    await project.write(
      'fixtures/moving.yaml',
      scenario('moving', {
        gates: ['{type: file_exists, path: README.md}'],
        target: '{binary: ../moving/tool}',
        steps: [`run: "echo more >> '${join(project.folder, 'moving', 'lib.sh')}'"`],
      }),
    );
    const { document } = await project.run(['moving', '--agents', 'mock']);
    expect((await openRun(document)).run.warnings).toEqual([
      'the target changed during this run, so its result will not be reused',
    ]);
    const line = (await project.resultLines()).find(({ sweep }) => sweep === document.sweep);
    expect(line?.cache_key).toBeNull();
  });

  test('is checked across a sweep: run and show warn if its runs used several builds of the target', async () => {
    const more = `echo '# more' >> '${join(project.folder, 'moving', 'tool')}'`;
    const target = '{binary: ../moving/tool}';
    await project.write('moving/tool', '#!/bin/sh\ntrue\n', 0o755);
    await project.write('fixtures/mixed.yaml', scenario('mixed', { target, steps: [`run: "${more}"`] }));
    const args = ['mixed', '--agents', 'mock', '--repeat', '2', '--concurrency', '1'];
    const ran = await project.cli(['run', ...args]);
    for (const { stdout } of [ran, await project.cli(['show', 'latest'])])
      expect(stdout).toContain('mixed: its runs used 2 different builds of the target (1, 1 runs)');
  });

  test('is refused if it is a declared file that does not exist', async () => {
    await project.write(
      'fixtures/missing.yaml',
      scenario('missing', { target: '{binary: cat, files: [../no-such-folder]}' }),
    );
    const { exitCode, stderr } = await project.cli(['run', 'missing', '--agents', 'mock']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/target\.files: '\.\.\/no-such-folder' was not found from/);
  });
});
