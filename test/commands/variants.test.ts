import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, openRun, scenario, type TestProject } from './project.js';

const VARIANTS = `matrix:
  repeat: 2
  variants:
    - name: plain
    - {name: guided, files: {GUIDE.md: "Use --json"}, prompt: Read GUIDE.md., env: {LEVEL: "2"}}
    - {name: rebuilt, template_folder: other, target_binary: ../build/tool}
`;

/** The gates fail without a guide; the step records what the run was given. */
const steps = ['run: "echo $(tool) $LEVEL $(ls) >seen"'];
const gates = [
  '{type: file_exists, path: GUIDE.md}',
  `{type: command_succeeds, command: 'test "$LLM_TOOL_TEST_VARIANT" = guided || ! grep -q guide: fixture'}`,
];

let project: TestProject;

beforeAll(async () => {
  project = await createProject({
    'fixtures/empty/README.md': 'of the first\n',
    'fixtures/other/OTHER.md': 'of the second\n',
    'fixtures/other/nested.yaml': scenario('not-mine'),
    'fixtures/varied.yaml': scenario('varied', {
      target: '{binary: ../bin/tool, files: [], env: {LEVEL: "1"}}',
      steps,
      gates,
      more: VARIANTS,
    }),
    'fixtures/single.yaml': scenario('single', { steps: ['say: x'] }),
  });
  await project.write('bin/tool', '#!/bin/sh\necho first\n', 0o755);
  await project.write('build/tool', '#!/bin/sh\necho second\n', 0o755);
});
afterAll(() => project.remove());

describe('variants', () => {
  test('are each run instead of the scenario, with their changes, and shown separately', async () => {
    const { exitCode, document, stderr } = await project.run(['varied']);
    expect(exitCode).toBe(1);
    expect(document.cells.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['varied/mock/default/plain/1', 'fail'],
      ['varied/mock/default/plain/2', 'fail'],
      ['varied/mock/default/guided/1', 'pass'],
      ['varied/mock/default/guided/2', 'pass'],
      ['varied/mock/default/rebuilt/1', 'fail'],
      ['varied/mock/default/rebuilt/2', 'fail'],
    ]);
    expect(stderr).toContain('varied guided mock/default #2');
    const seen = await Promise.all([0, 2, 4].map(async (at) => (await openRun(document, at)).text('fixture/seen')));
    expect(seen).toEqual(['first 1 README.md\n', 'first 2 GUIDE.md README.md\n', 'second 1 OTHER.md\n']);
    const guided = await openRun(document, 2);
    expect(guided.run).toMatchObject({ variant: 'guided', scenario: { prompt: 'Read GUIDE.md.' } });
    expect(new Set(document.cells.map(({ results_dir }) => results_dir)).size).toBe(6);

    const shown = await project.cli(['show', document.sweep]);
    expect(shown.stdout).toMatch(/varied +guided/);
  });

  test('are reused from the cache unless they were changed', async () => {
    await project.write(
      'fixtures/varied.yaml',
      (await project.read('fixtures/varied.yaml')).replace('Use --json', 'Use --json, please'),
    );
    const { document } = await project.run(['varied', '--repeat', '1']);
    expect(document.cells.map(({ variant, cached }) => [variant, cached])).toEqual([
      ['plain', true],
      ['guided', false],
      ['rebuilt', true],
    ]);
  });

  test('are selected by --variants; scenarios without these variants are left out', async () => {
    const { stdout } = await project.cli(['run', '--all', '--variants', 'guided,plain', '--dry-run', '--json']);
    const draft = JSON.parse(stdout) as {
      scenarios: { name: string; variant: string }[];
      cells: { id: string }[];
    };
    expect(draft.scenarios.map(({ name, variant }) => [name, variant])).toEqual([
      ['varied', 'plain'],
      ['varied', 'guided'],
    ]);
    expect(draft.cells).toHaveLength(4);
    const unknown = await project.cli(['run', '--all', '--variants', 'giuded']);
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      2,
      expect.stringContaining("no scenario has a variant 'giuded'; did you mean 'guided'?"),
    ]);
  });

  test('with a wrong fixture, file or build are reported at their place, and shared problems only once', async () => {
    const wrong = (variants: string): string =>
      scenario('wrong', { steps: ['say: x'], more: `matrix: {variants: [${variants}]}` });
    await project.write('wrong/absent.yaml', wrong('{name: a, template_folder: absent}'));
    await project.write('wrong/folder.yaml', wrong('{name: a, files: {docs: x}}, {name: b, files: {docs: y}}'));
    await project.write('fixtures/empty/docs/a.md', '');
    const lines = (await project.cli(['validate', 'wrong'])).stderr;
    expect(lines).toMatch(/absent\.yaml:\d+:\d+ .*matrix\.variants\[0\]\.template_folder.*'absent' was not found/);
    expect(lines).toMatch(/folder\.yaml:\d+:\d+ .*matrix\.variants\[0\]\.files\.docs: the fixture has a folder/);
    expect(lines).toMatch(/folder\.yaml:\d+:\d+ .*matrix\.variants\[1\]\.files\.docs: the fixture has a folder/);

    await project.write(
      'wrong/both.yaml',
      wrong('{name: a}, {name: b}').replace('template_folder: empty', 'template_folder: none'),
    );
    const both = JSON.parse((await project.cli(['validate', 'wrong/both.yaml', '--json'])).stdout) as {
      error: { problems: unknown[] };
    };
    expect(both.error.problems).toHaveLength(1);

    await project.write('wrong/build.yaml', wrong('{name: a, target_binary: ../no/such}'));
    const build = await project.cli(['run', 'wrong/build.yaml']);
    expect([build.exitCode, build.stderr]).toEqual([
      2,
      expect.stringMatching(
        /build\.yaml:\d+:\d+ .*matrix\.variants\[0\]\.target_binary.*\.\.\/no\/such was not found/s,
      ),
    ]);
  });
});
