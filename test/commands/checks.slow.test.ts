import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '../../src/lib/errors/problem.js';
import { parseJson } from '../../src/lib/json.js';
import type { EffectiveScenario, Plan } from '../../src/scenario/plan.js';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

let project: TestProject;
beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
});
afterAll(() => project.remove());

const CHECKS = '$LLM_TOOL_TEST_CHECKS';
/** A gate in flow style that runs a command with double quotes in it. */
const gate = (command: string): string => `{type: command_succeeds, command: '${command}'}`;

/** Writes a scenario with a checks folder of its own, and the files in it. */
async function write(
  name: string,
  files: Record<string, string>,
  { gates = [], steps = ['say: hi'], more = '' }: { gates?: string[]; steps?: string[]; more?: string } = {},
): Promise<void> {
  for (const [path, text] of Object.entries(files)) await project.write(`fixtures/checks/${name}/${path}`, text);
  const folder = `checks_folder: checks/${name}\n${more}`;
  await project.write(`fixtures/${name}.yaml`, scenario(name, { gates, steps, more: folder }));
}

const problemsOf = async (name: string): Promise<string[]> => {
  const { exitCode, stdout } = await project.cli(['validate', name, '--json']);
  const { error } = JSON.parse(stdout) as { error?: { problems: Problem[] } };
  expect(exitCode).toBe(error === undefined ? 0 : 2);
  return (error?.problems ?? []).map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
};

/** The stored form of the scenario of a sweep. */
async function stored(sweep: string): Promise<EffectiveScenario> {
  const results = 'llm-tool-test-results';
  const plan = JSON.parse(await project.read(`${results}/sweeps/${sweep}/plan.json`)) as Plan;
  const hash = plan.scenarios[0]?.hash ?? '';
  return JSON.parse(await project.read(`${results}/.store/${hash}/scenario.json`)) as EffectiveScenario;
}

describe('a checks folder', () => {
  test('is given to gates and evaluators of every kind, and to nothing else', async () => {
    const seen = `${CHECKS.slice(1)}=`;
    await write(
      'given',
      {
        'ok.sh': `[ "$(cat "$(dirname "$0")/data/word.txt")" = word ]\n`,
        'verdict.sh': `echo '{"passed": true, "message": "from the checks folder"}'\n`,
        'measure.sh': `echo '{"metrics": {"word": 1}}'\n`,
        'data/word.txt': 'word\n',
        'out.txt': 'made\n',
      },
      {
        gates: [
          gate(`sh "${CHECKS}/ok.sh"`),
          `{type: script, description: d, command: 'sh "${CHECKS}/verdict.sh"'}`,
          `{type: command_output_contains, substring: word, command: 'cat "${CHECKS}/data/word.txt"'}`,
          '{type: file_equals, path: out.txt, expected: out.txt}',
          `{type: command_exit_code_is, expected_code: 1, command: 'grep -q ${seen} agent.txt post.txt setup.txt'}`,
        ],
        steps: ['run: echo made >out.txt; env >agent.txt'],
        more: `setup: {commands: [env >setup.txt]}
scripts:
  post: [{command: env >post.txt}]
  evaluators: [{name: e, command: 'sh "${CHECKS}/measure.sh"'}]
`,
      },
    );
    const { exitCode, document, stderr } = await project.run(['given']);
    const { metrics, text } = await openRun(document);
    expect([exitCode, metrics.details.map(({ message }) => message)], stderr).toEqual([0, expect.any(Array)]);
    expect(metrics.details[1]?.message).toBe('from the checks folder');
    expect(metrics.evaluator_results).toMatchObject([{ metrics: { word: 1 }, error: null }]);
    for (const file of ['agent', 'post', 'setup']) {
      const printed = await text(`fixture/${file}.txt`);
      expect(printed).toContain('PATH=');
      expect(printed).not.toContain('LLM_TOOL_TEST_CHECKS');
    }
    expect(stderr).not.toContain('warning');
  });

  test('is a snapshot: neither a later edit nor a script changes what the rest of the sweep is checked by', async () => {
    await write(
      'kept',
      {
        'check.sh': `touch "${CHECKS}/left" && grep -q old "${CHECKS}/word.txt" && [ ! -e "${CHECKS}/again" ]\n`,
      },
      {
        gates: [
          gate(`sh "${CHECKS}/check.sh" && touch "${CHECKS}/again" 2>/dev/null`),
          gate(`sh "${CHECKS}/check.sh"`),
        ],
        steps: [`run: echo new >'${join(project.folder, 'fixtures/checks/kept/word.txt')}'`],
      },
    );
    await project.write('fixtures/checks/kept/word.txt', 'old\n');
    // `again` is named before it exists
    expect(await problemsOf('kept')).toEqual([expect.stringContaining(`has no 'again'`)]);
    await project.write(
      'fixtures/kept.yaml',
      (await project.read('fixtures/kept.yaml')).replaceAll(`"${CHECKS}/again"`, `"${CHECKS}"/"again"`),
    );
    const { exitCode, document } = await project.run(['kept']);
    expect(exitCode).toBe(0);
    expect(await project.read('fixtures/checks/kept/word.txt')).toBe('new\n');
    const { checks = '' } = await stored(document.sweep);
    expect((await readdir(join(project.results, '.store', checks))).sort()).toEqual(['check.sh', 'word.txt']);
  });

  test('is part of the cache key: a changed check is applied, and the part of the agent stays the same', async () => {
    await write('cached', { 'check.sh': 'exit 0\n' }, { gates: [gate(`sh "${CHECKS}/check.sh"`)] });
    const lines = async () => (await project.resultLines()).filter(({ scenario_id }) => scenario_id === 'cached');
    expect((await project.run(['cached'])).exitCode).toBe(0);
    await project.run(['cached']);
    await project.write('fixtures/checks/cached/check.sh', 'exit 1\n');
    expect((await project.run(['cached'])).exitCode).toBe(1);
    const [first, second, third] = await lines();
    expect([second?.cached_from, third?.cached_from]).toEqual([first?.id, null]);
    expect(first?.cache_key).not.toBe(third?.cache_key);
    expect(first?.agent_key).toMatch(/^[0-9a-f]{64}$/);
    expect(first?.agent_key).toBe(third?.agent_key);
    // Not so if the agent gets other work.
    const text = await project.read('fixtures/cached.yaml');
    await project.write('fixtures/cached.yaml', text.replace('do it', 'do more'));
    await project.run(['cached']);
    expect((await lines()).at(-1)?.agent_key).not.toBe(first?.agent_key);
  });

  test('is named by compare if it changed', async () => {
    await write('compared', { 'check.sh': 'exit 0\n' }, { gates: [gate(`sh "${CHECKS}/check.sh"`)] });
    await project.run(['compared', '--name', 'before']);
    await project.write('fixtures/checks/compared/check.sh', 'true\n');
    await project.run(['compared', '--name', 'after']);
    const { stdout } = await project.cli(['compare', 'before', 'after']);
    expect(stdout).toContain('files of the checks folder');
  });

  test('is kept by clean as long as a plan needs it; without it a sweep cannot continue', async () => {
    await write('cleaned', { 'check.sh': 'exit 1\n' }, { gates: [gate(`sh "${CHECKS}/check.sh"`)] });
    const { document } = await project.run(['cleaned']);
    const { checks = '' } = await stored(document.sweep);
    const folder = join(project.results, '.store', checks);
    expect((await project.cli(['clean', '--older-than', '1d'])).exitCode).toBe(0);
    expect((await stat(join(folder, 'check.sh'))).isFile()).toBe(true);
    await rm(folder, { recursive: true });
    const { exitCode, stderr } = await project.cli(['retry', document.sweep, '--failed']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/\.store\/\w+ is gone: .* cannot continue without them/);
  });
});

describe('validate', () => {
  test('reports a checks folder that is missing, absolute, in the fixture, or not to be copied', async () => {
    const at = async (folder: string): Promise<string[]> => {
      await project.write('fixtures/where.yaml', scenario('where', { more: `checks_folder: ${folder}` }));
      return problemsOf('where');
    };
    expect(await at('checks/none')).toEqual([
      "8:16 checks_folder: checks folder 'checks/none' was not found; paths are relative to the scenario file",
    ]);
    expect(await at('/etc')).toEqual(['8:16 checks_folder: expected a path relative to the scenario file']);
    await project.write('fixtures/empty/hidden/check.sh', '');
    expect(await at('empty/hidden')).toEqual([
      "8:16 checks_folder: 'empty/hidden' is inside the fixture fixtures/empty, where the agent sees it; move it out of the fixture",
    ]);
    expect(await at('empty')).toEqual([expect.stringContaining("'empty' is inside the fixture")]);
    await rm(join(project.folder, 'fixtures/empty/hidden'), { recursive: true });
  });

  test('reports what gates and evaluators name in the checks folder that is not there', async () => {
    await write(
      'missing',
      { 'there.sh': '', 'folder/x': '' },
      {
        gates: [
          gate(`sh "${CHECKS}/there.sh" && sh ${CHECKS}/none.sh`),
          '{type: file_equals, path: out.txt, expected: folder}',
        ],
        more: `scripts: {evaluators: [{name: e, command: 'sh "${CHECKS}/measure.sh"'}]}\n`,
      },
    );
    expect(await problemsOf('missing')).toEqual([
      "8:41 evaluation.gates[0].command: the checks folder 'checks/missing' has no 'none.sh'",
      "9:52 evaluation.gates[1].expected: the checks folder 'checks/missing' has no file 'folder'",
      "14:43 scripts.evaluators[0].command: the checks folder 'checks/missing' has no 'measure.sh'",
    ]);
  });

  test('reports checks that need a checks folder in a scenario without one', async () => {
    const gates = [gate(`sh "${CHECKS}/check.sh"`), '{type: file_equals, path: a, expected: b}'];
    await project.write('fixtures/without.yaml', scenario('without', { gates }));
    expect(await problemsOf('without')).toEqual([
      expect.stringMatching(/^8:41 .*: check.sh: the scenario has no checks folder; .*checks_folder: /),
      expect.stringMatching(/^9:46 .*: b: the scenario has no checks folder; /),
    ]);
  });

  test('does not take files in a checks folder for scenarios', async () => {
    await project.write('others/checks/expected.yaml', 'name: x\ntarget: y\n');
    await project.write('others/empty/README.md', 'nothing\n');
    await project.write('others/one.yaml', scenario('one', { more: 'checks_folder: checks # hidden' }));
    const { stdout } = await project.cli(['validate', 'others', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ valid: true, files: ['others/one.yaml'] });
  });
});

describe('a warning', () => {
  const FIXTURE = { 'fixtures/open/scripts/check.sh': 'exit 0\n', 'fixtures/open/bin/tool': '#!/bin/sh\n' };
  const GATES = [
    gate('sh scripts/check.sh'),
    // Of the target, or no script that is run.
    gate('./bin/tool'),
    gate('cat scripts/check.sh'),
    gate('sh other.sh'),
  ];
  const inOpen = (text: string): string => text.replace('template_folder: empty', 'template_folder: open');

  beforeAll(async () => {
    for (const [path, text] of Object.entries(FIXTURE)) await project.write(path, text, 0o755);
    const more = 'scripts: {evaluators: [{name: e, command: ./made.sh}]}\nsetup: {files: {made.sh: "echo 1"}}';
    const target = '{binary: ./bin/tool}';
    const text = scenario('open', { gates: GATES, target, more, steps: ['run: echo x >other.sh'] });
    await project.write('fixtures/open.yaml', inOpen(text));
  });

  const EXPECTED = [
    /^warning: fixtures\/open.yaml:8:41 evaluation.gates\[0\].command: the agent can read and change scripts\/check.sh, .*"checks_folder: \.\.\.", and run "\$LLM_TOOL_TEST_CHECKS\/check.sh"$/,
    /^warning: fixtures\/open.yaml:15:43 scripts.evaluators\[0\].command: the agent can read and change made.sh, /,
  ];
  const warningsIn = (stderr: string): string[] =>
    stderr.split('\n').filter((line) => line.startsWith('warning: fixtures/open.yaml'));

  test('names each script of a gate or evaluator that is in the workspace, in validate and run', async () => {
    const { exitCode, stderr } = await project.cli(['validate', 'open']);
    expect(exitCode).toBe(0);
    expect(warningsIn(stderr)).toEqual(EXPECTED.map((one) => expect.stringMatching(one) as string));
    expect(stderr).toMatch(/^> +8 \|.*check\.sh/m);
    const json = await project.cli(['validate', 'open', '--json']);
    const { warnings } = parseJson(json.stdout) as unknown as { warnings: Problem[] };
    expect(warnings.map(({ line, column }) => [line, column])).toEqual([
      [8, 41],
      [15, 43],
    ]);
    const run = await project.run(['open']);
    expect(warningsIn(run.stderr)).toEqual(EXPECTED.map((one) => expect.stringMatching(one) as string));
  });

  test('also names a rubric in the fixture, but not one in the checks folder', async () => {
    const rubric =
      'criteria: [{id: a, weight: 1, description: d}]\noutput: {format: json, require_fields: [summary]}\n';
    await project.write('fixtures/open/rubric.yaml', rubric);
    await project.write('fixtures/checks/open/rubric.yaml', rubric);
    const validated = async (path: string): Promise<string[]> => {
      const judge = `  judge: {enabled: true, rubric: ${path}, pass_threshold: 0.5, model: openai/m}\n  gates:`;
      const text = scenario('open', { more: 'checks_folder: checks/open' });
      await project.write('fixtures/open.yaml', inOpen(text).replace('  gates:', judge));
      const { exitCode, stderr } = await project.cli(['validate', 'open']);
      expect(exitCode, stderr).toBe(0);
      return warningsIn(stderr);
    };
    expect(await validated('open/rubric.yaml')).toEqual([
      expect.stringMatching(
        /:7:34 evaluation.judge.rubric: the agent can read and change rubric.yaml, .* the checks folder 'checks\/open' and name it by its path there$/,
      ),
    ]);
    expect(await validated('checks/open/rubric.yaml')).toEqual([]);
  });

  test('also names agent scripts, unless they come from the checks folder or are the target', async () => {
    const script = '.agents/scripts/count/README.md';
    await project.write(`fixtures/open/${script}`, 'x');
    const gates = ['{type: agent_script, script: count}'];
    const validated = async (target: string, more = ''): Promise<string[]> => {
      await project.write('fixtures/open.yaml', inOpen(scenario('open', { gates, target, more })));
      return warningsIn((await project.cli(['validate', 'open'])).stderr);
    };
    expect(await validated('{binary: ./bin/tool}')).toEqual([
      expect.stringMatching(/:8:36 .* can read and change \.agents\/scripts\/count, .* keep its path there$/),
    ]);
    await project.write('fixtures/open/bin/deno', '#!/bin/sh\n');
    expect(await validated('{binary: ./bin/deno}')).toEqual([]);
    await project.write(`fixtures/checks/open/${script}`, 'x');
    expect(await validated('{binary: ./bin/tool}', 'checks_folder: checks/open')).toEqual([]);
  });
});
