import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../src/lib/errors/problem.js';
import { readScenario } from '../../../src/scenario/yaml/read-scenario.js';
import type { ReadScenario } from '../../../src/scenario/reader.js';
import { Scenario } from '../../../src/scenario/scenario.js';
import type { Path, ProblemAt } from '../../../src/input/source.js';
import { casesOf, scenarios } from '../cases.js';

const TEXT = `name: s
description: d
template_folder: base
target: {binary: cat}
task:
  prompt: Do it.
  context:
    - {script: task-next}
setup:
  files:
    a.md: of the scenario
scripts:
  post:
    - {command: make}
  evaluators:
    - {name: size, command: wc}
run: {timeout_secs: 90}
evaluation:
  gates:
    - {type: file_exists, path: a.md}
  judge: {enabled: true, rubric: r.yaml, pass_threshold: 0.5}
tool_matrix:
  - {agent: codex}
matrix:
  repeat: 2
  variants:
    - name: plain
    - name: guide
      prompt: Read a.md.
      template_folder: other
      target_binary: ../build/cat
      files:
        a.md: of the variant
`;

function read(text: string): ReadScenario & { problemAt: ProblemAt } {
  const loaded = readScenario('s.yaml', text);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join());
  return { ...loaded.value, problemAt: loaded.problemAt };
}

describe('a scenario in YAML', () => {
  test('is read into its steps, checks and judgment', () => {
    expect(read(TEXT).scenario).toMatchObject({
      inputs: { fixture: 'base', files: { 'a.md': 'of the scenario' } },
      steps: [
        { kind: 'script', script: 'task-next', args: [], timeout_secs: 60 },
        { kind: 'agent', prompt: 'Do it.', timeout_secs: 90 },
        { kind: 'command', command: 'make', timeout_secs: 30 },
      ],
      checks: { gates: [{ type: 'file_exists' }], evaluators: [{ name: 'size' }] },
      judgment: { gates: 'all_pass', judge: { rubric: 'r.yaml', votes: 1 } },
      agents: [{ agent: 'codex', models: [] }],
      repeat: 2,
    });
  });

  test('is read into each of its variants', () => {
    expect(read(TEXT).variants).toMatchObject([
      { variant: 'plain', scenario: { inputs: { fixture: 'base' } }, targetBinary: null },
      {
        variant: 'guide',
        scenario: { inputs: { fixture: 'other' }, steps: [{}, { prompt: 'Read a.md.' }, {}] },
        targetBinary: '../build/cat',
      },
    ]);
  });

  test.each<[Path, string]>([
    [['inputs', 'fixture'], '3:18 template_folder'],
    [['inputs', 'files', 'a.md'], '11:11 setup.files["a.md"]'],
    [['target', 'binary'], '4:18 target.binary'],
    [['steps', 0, 'script'], '8:16 task.context[0].script'],
    [['steps', 1, 'prompt'], '6:11 task.prompt'],
    [['steps', 1, 'timeout_secs'], '17:21 run.timeout_secs'],
    [['steps', 2, 'command'], '14:17 scripts.post[0].command'],
    [['checks', 'gates', 0, 'path'], '20:33 evaluation.gates[0].path'],
    [['checks', 'evaluators', 0, 'name'], '16:14 scripts.evaluators[0].name'],
    [['judgment', 'judge', 'rubric'], '21:34 evaluation.judge.rubric'],
    [['agents', 0, 'agent'], '23:13 tool_matrix[0].agent'],
    [['repeat'], '25:11 matrix.repeat'],
    [['name'], '1:7 name'],
  ])('locates problems of %j where it is written', (path, place) => {
    expect(formatProblem(read(TEXT).problemAt(path, 'wrong'))).toBe(`s.yaml:${place}: wrong`);
  });

  test.each<[Path, string]>([
    [['inputs', 'fixture'], '30:24 matrix.variants[1].template_folder'],
    [['inputs', 'files', 'a.md'], '33:15 matrix.variants[1].files["a.md"]'],
    [['target', 'binary'], '31:22 matrix.variants[1].target_binary'],
    [['steps', 1, 'prompt'], '29:15 matrix.variants[1].prompt'],
    [['steps', 2, 'command'], '14:17 scripts.post[0].command'],
  ])('locates problems of %j in a variant where it is written', (path, place) => {
    const guide = read(TEXT).variants[1];
    if (guide === undefined) throw new Error('there is a second variant');
    expect(formatProblem(guide.problemAt(path, 'wrong'))).toBe(`s.yaml:${place}: wrong`);
  });

  test('can be stored and read again for every valid file', () => {
    for (const { file, text } of casesOf(scenarios, 'valid')) {
      const loaded = readScenario(file, text);
      if (!loaded.ok) continue;
      const { scenario } = loaded.value;
      expect(Scenario.parse(JSON.parse(JSON.stringify(scenario)))).toEqual(scenario);
    }
  });

  test('gives its agent 300 s by default', () => {
    const text = readFileSync(join(import.meta.dirname, '../cases/valid/minimal.yaml'), 'utf8');
    expect(read(text).scenario.steps).toMatchObject([{ kind: 'agent', timeout_secs: 300 }]);
  });
});
