import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject, type TestProject } from './project.js';

let project: TestProject;
const EVALS = {
  skill_name: 'stamp',
  evals: [
    { id: 1, prompt: 'Stamp a.txt.', expected_output: 'A stamped file', files: ['evals/files/a.txt'] },
    { id: 'two', prompt: 'Stamp nothing.', expected_output: 'No file' },
  ],
};
beforeAll(async () => {
  project = await createProject({
    'skills/stamp/SKILL.md': '---\nname: stamp\ndescription: Stamps documents.\n---\n',
    'skills/stamp/evals/files/a.txt': 'a\n',
    'skills/stamp/evals/evals.json': JSON.stringify(EVALS),
    'prompts.csv': 'prompt,should_trigger\nStamp it,true\nSort it,false\n',
  });
});
afterAll(() => project.remove());

test('the evals of a skill become scenarios that validate, with its files', async () => {
  const { exitCode, stdout } = await project.cli(['import', 'skills/stamp/evals/evals.json', '--json']);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    skill: 'skills/stamp',
    scenarios: ['fixtures/stamp-1.yaml', 'fixtures/stamp-two.yaml'],
  });
  expect(await project.read('fixtures/stamp-1/evals/files/a.txt')).toBe('a\n');
  const env = { LLM_TOOL_TEST_JUDGE: 'openai/x', OPENAI_API_KEY: 'x' };
  const valid = await project.cli(['validate', '--json'], env);
  expect(JSON.parse(valid.stdout), valid.stderr).toMatchObject({ valid: true });
  const dry = await project.cli(['run', 'stamp-1', '--agents', 'mock', '--dry-run', '--json'], env);
  expect(JSON.parse(dry.stdout)).toMatchObject({
    scenarios: [{ variant: 'with', gates: 1 }, { variant: 'without' }],
  });
});

test('nothing is overwritten without --force', async () => {
  await project.cli(['import', 'prompts.csv', '--skill', 'skills/stamp', '--out', 'more']);
  await project.write('more/stamp-1.yaml', 'mine\n');
  const args = ['import', 'prompts.csv', '--skill', 'skills/stamp', '--out', 'more'];
  const refused = await project.cli(args);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('more/stamp-1.yaml')]);
  expect(await project.read('more/stamp-1.yaml')).toBe('mine\n');
  expect((await project.cli([...args, '--force'])).exitCode).toBe(0);
  expect(await project.read('more/stamp-1.yaml')).toContain('skill_used');
});

test('a suite with problems is refused with their places, and nothing is written', async () => {
  await project.write(
    'skills/stamp/evals/bad.json',
    '{"evals": [\n {"id": "A", "prompt": "x", "files": ["gone.txt"], "expected_output": "z"},\n {"id": "a", "prompt": "y", "expected_output": "z"}]}',
  );
  const { exitCode, stderr } = await project.cli(['import', 'skills/stamp/evals/bad.json', '--out', 'none']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("skills/stamp/evals/bad.json:2:39 evals[0].files[0]: 'gone.txt' was not found");
  expect(stderr).toContain('skills/stamp/evals/bad.json:3:9 evals[1].id: another case is also named stamp-a');
  expect(existsSync(join(project.folder, 'none'))).toBe(false);
  expect((await project.cli(['import', 'prompts.csv'])).stderr).toContain('--skill');
});

test('a case of which nothing is expected is refused with its place, and so is a suite without cases', async () => {
  const suites: [string, string, RegExp][] = [
    [
      'blank.csv',
      'prompt,should_trigger,id\nwhat is the weather,,no-answer\n',
      /blank\.csv:2:21 .*nothing is expected/,
    ],
    ['none.csv', 'prompt\nx\n', /none\.csv:2:1 .*nothing is expected/],
    ['none.json', '{"evals":[\n{"id":1,"prompt":"f"}]}', /none\.json:2:1 .*nothing is expected/],
    ['blank.json', '[{"query":"f","expected_output":" ","assertions":[]}]', /blank\.json:1:2 .*nothing is expected/],
    ['empty.json', '[]', /empty\.json:1:1 .*there are no cases/],
    ['empty2.json', '{"evals": []}', /there are no cases/],
    ['empty.jsonl', '\n', /there are no cases/],
    ['empty.csv', 'prompt,should_trigger\n', /there are no cases/],
  ];
  for (const [name, text, message] of suites) {
    await project.write(name, text);
    const { exitCode, stderr } = await project.cli(['import', name, '--skill', 'skills/stamp', '--out', 'none']);
    expect([name, exitCode, stderr]).toEqual([name, 2, expect.stringMatching(message)]);
  }
  expect(existsSync(join(project.folder, 'none'))).toBe(false);
});

test('a skill in a folder of another name is installed under its own, and what is ignored is said', async () => {
  await project.write('stamp-skill-main/SKILL.md', '---\nname: stamp\ndescription: Stamps documents.\n---\n');
  const suite = {
    version: 1,
    skill_name: 'stamper',
    evals: [{ query: 'Stamp it', should_trigger: true, notes: 'x' }],
  };
  await project.write('stamp-skill-main/evals/evals.json', JSON.stringify(suite));
  const { exitCode, stderr, stdout } = await project.cli([
    'import',
    'stamp-skill-main/evals/evals.json',
    '--out',
    'own',
  ]);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^own\/stamp-1\.yaml\n\n1 scenario was written/)]);
  expect(stderr).toMatch(/ignored in .*evals\.json: version, notes/);
  expect(stderr).toMatch(/names the skill 'stamper', but stamp-skill-main has 'stamp'/);
  expect(await project.read('own/stamp-1.yaml')).toContain('skill: stamp\n');
  const dry = await project.cli(['run', 'own/stamp-1.yaml', '--agents', 'mock', '--dry-run', '--json']);
  expect(JSON.parse(dry.stdout)).toMatchObject({
    scenarios: [{ subject: [{ skill: '../stamp-skill-main' }], gates: 1 }],
  });
});

test('the cases of a plugin become scenarios that validate; one that cannot is refused with its place', async () => {
  const at = 'plugins/office';
  await project.write(`${at}/.claude-plugin/plugin.json`, '{"name": "office", "experimental": {"evals": "quality"}}');
  await project.write(`${at}/skills/stamp/SKILL.md`, '---\ndescription: Stamps.\n---\nx\n');
  await project.write(`${at}/quality/fast/a/prompt.md`, '---\nallowed_tools: [Skill]\n---\n/office:stamp a.txt\n');
  await project.write(`${at}/quality/fast/a/graders/used.md`, '---\ntype: tool_used\ntool: Skill\n---\n');
  await project.write(`${at}/quality/fast/a/graders/done.md`, '---\ntype: file_exists\npath: a.txt\n---\n');
  await project.write(`${at}/quality/results/old/prompt.md`, 'no case');
  const { exitCode, stdout, stderr } = await project.cli(['import', at, '--json']);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('office-a: ignored: allowed_tools')]);
  expect(JSON.parse(stdout)).toEqual({ plugin: at, scenarios: ['fixtures/office-a.yaml'] });
  const dry = await project.cli(['run', 'office-a', '--agents', 'claude-code', '--dry-run', '--json'], {
    ...{ LLM_TOOL_TEST_ENABLED: '1', ANTHROPIC_API_KEY: 'x' },
  });
  expect(JSON.parse(dry.stdout), dry.stderr).toMatchObject({
    scenarios: [
      { variant: 'with', gates: 2 },
      { variant: 'without', gates: 1 },
    ],
  });

  await project.write(
    `${at}/quality/slow/case.yaml`,
    'execution: {prompt: x}\ngraders:\n- {type: llm, name: a, critera: b}\n',
  );
  const refused = await project.cli(['import', at, '--out', 'none']);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`${at}/quality/slow/case.yaml:3`)]);
  expect(existsSync(join(project.folder, 'none'))).toBe(false);
  expect((await project.cli(['import', `${at}/quality/fast`, '--out', 'some'])).exitCode).toBe(0);
  expect((await project.cli(['import', 'skills'])).stderr).toMatch(/is in no plugin of Claude Code/);
  expect((await project.cli(['import', `${at}/skills`])).stderr).toMatch(/there are no cases/);
});

test('a config of promptfoo becomes scenarios whose checks decide as in promptfoo', async () => {
  await project.write(
    'foo/promptfooconfig.yaml',
    `description: Foo
prompts: ["Say {{word}}"]
providers: [openai:gpt-4o]
tests:
  - vars: {word: hello}
    assert:
      - {type: contains, value: "{{word}}"}
      - {type: not-contains, value: bye}
      - {type: javascript, value: "output.length < 20 && context.vars.word === 'hello'"}
      - {type: javascript, value: "const n = output.length;\\nreturn {pass: n > 2, score: 1, reason: 'long'}"}
      - {type: javascript, value: "file://check.mjs:named"}
      - {type: python, value: "len(output) > 2 and context['vars']['word'] == 'hello'"}
      - {type: python, value: "file://check.py"}
      - {type: not-is-json}
      - {type: not-trajectory:tool-used, value: search}
  - vars: {word: bye}
    assert: [{type: not-contains, value: "{{word}}"}]
  - vars: {word: broken}
    assert: [{type: javascript, value: "nothing.at.all"}]
`,
  );
  await project.write('foo/check.mjs', 'export const named = (output) => output.includes("hello");\n');
  await project.write('foo/check.py', 'def get_assert(output, context):\n  return {"pass": True, "score": 0.5}\n');
  const { exitCode, stderr, stdout } = await project.cli(['import', 'foo/promptfooconfig.yaml']);
  expect([exitCode, stderr]).toEqual([
    0,
    expect.stringMatching(/^foo\/promptfooconfig\.yaml:3:13 providers\[0\]: not taken: /),
  ]);
  expect(stdout).toContain('3 scenarios were written');
  const says: Record<string, string> = { 'foo-1': 'hello', 'foo-2': 'bye', 'foo-3': 'broken' };
  for (const [name, word] of Object.entries(says))
    await project.write(
      `fixtures/${name}.yaml`,
      `${await project.read(`fixtures/${name}.yaml`)}mock: {steps: [{say: well ${word}}]}\n`,
    );
  const { document } = await project.run(Object.keys(says));
  expect(document.cells.map(({ scenario, outcome, message }) => [scenario, outcome, message])).toEqual([
    ['foo-1', 'pass', expect.anything()],
    ['foo-2', 'fail', expect.stringContaining('not-contains bye')],
    ['foo-3', 'fail', expect.stringContaining('nothing is not defined')],
  ]);
});
