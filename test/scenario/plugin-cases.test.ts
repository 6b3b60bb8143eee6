import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadScenario } from '../../src/scenario/load-scenario.js';
import { type CaseFiles, pluginCase } from '../../src/scenario/suites/plugin-cases.js';

const PLUGIN = {
  name: 'office',
  path: '../office',
  skills: ['office:stamp', 'office:seal'],
  subagents: ['office:reviewer'],
};
interface Given {
  prompt?: string;
  yaml?: string;
  graders?: Record<string, string>;
  scaffold?: string;
}
const read = ({ prompt, yaml, graders = {}, scaffold }: Given) => {
  const files: CaseFiles = {
    name: '01 First',
    prompt: prompt === undefined ? null : { file: 'prompt.md', text: prompt },
    yaml: yaml === undefined ? null : { file: 'case.yaml', text: yaml },
    graders: new Map(Object.entries(graders).map(([name, text]) => [name, { file: `graders/${name}.md`, text }])),
  };
  return pluginCase(files, PLUGIN, () => scaffold ?? null);
};
const valid = (given: Given) => {
  const made = read(given);
  if (!made.ok) throw new Error(JSON.stringify(made.problems));
  const scenario = parse(made.value.yaml) as Record<string, unknown> & { evaluation: { gates: unknown[] } };
  return { ...made.value, scenario, gates: scenario.evaluation.gates };
};
const problems = (given: Given): string[] => {
  const made = read(given);
  return made.ok ? [] : made.problems.map(({ file, line, message }) => `${file}:${line} ${message}`);
};
const LLM = '---\ntype: llm\n---\n\nIt is polite.\n';
const grader = (front: string, body = ''): string => `---\n${front}\n---\n\n${body}\n`;

describe('a case of `claude plugin eval`', () => {
  it('becomes a scenario with its prompt, limits and repetitions, with and without the plugin', () => {
    const { yaml, scenario, notes } = valid({
      prompt: '---\nmax_turns: 5\ntimeout_seconds: 60\nruns: 2\nmodel: haiku\ntags: [fast]\n---\n\nSay hello.\n',
      graders: { polite: LLM },
    });
    expect(scenario).toEqual({
      name: 'office-01-first',
      description: 'Say hello.',
      tags: ['plugin-evals', 'fast'],
      template_folder: 'office-01-first',
      subject: { plugin: '../office' },
      baseline: true,
      task: { prompt: 'Say hello.' },
      evaluation: { gates: [{ type: 'llm_judge', name: 'polite', prompt: 'It is polite.' }] },
      tool_matrix: [{ agent: 'claude-code', models: ['haiku'] }],
      matrix: { repeat: 2 },
      run: { timeout_secs: 60, max_turns: 5 },
    });
    expect(notes).toEqual([]);
    expect(loadScenario('x.yaml', yaml).ok).toBe(true);
  });

  it('may be in case.yaml, with defaults of Claude Code; prompt.md counts more, and graders are added', () => {
    const yaml = `schema_version: "1.0"
name: greet
execution: { prompt: Hi., max_turns: 7, allowed_tools: [Bash] }
context: { scaffold_script: ./scaffold.sh }
graders:
  - { type: regex, name: word, pattern: hello, flags: i, weight: 2 }
`;
    const alone = valid({ yaml, scaffold: 'echo "it\'s" > a.txt\n' });
    expect(alone.scenario).toMatchObject({
      name: 'office-greet',
      task: { prompt: 'Hi.' },
      matrix: { repeat: 3 },
      run: { timeout_secs: 300, max_turns: 7 },
      setup: { commands: ["bash -c 'echo \"it'\\''s\" > a.txt\n'"] },
    });
    expect(alone.gates).toEqual([{ type: 'response_matches', name: 'word', pattern: '(?i)hello' }]);
    expect(alone.notes).toEqual([
      'ignored: allowed_tools; the agent may use all its tools',
      'ignored: weight; every gate must pass',
      'its scaffold script is a setup command, without the files beside it',
    ]);
    const both = valid({
      yaml,
      scaffold: 'true',
      prompt: '---\nmax_turns: 9\n---\nBonjour.',
      graders: { polite: LLM },
    });
    expect(both.scenario).toMatchObject({ task: { prompt: 'Bonjour.' }, run: { timeout_secs: 300, max_turns: 9 } });
    expect(both.gates).toHaveLength(2);
  });

  it.each([
    ['type: regex', 'a+', { type: 'response_matches', pattern: 'a+' }],
    [
      'type: regex\ntarget: { source: file, path: out.txt }',
      '^x$',
      { type: 'file_matches', path: 'out.txt', pattern: '^x$' },
    ],
    ['type: file_exists\npath: out/a.txt', '', { type: 'file_exists', path: 'out/a.txt' }],
    [
      'type: file_exists\npath: a b.txt\nexists: false',
      '',
      { type: 'command_succeeds', command: "test ! -e 'a b.txt'" },
    ],
    ['type: tool_used\ntool: mcp__x__y\nmin: 2', '', { type: 'tool_called', tool: 'mcp__x__y', min: 2 }],
    ['type: tool_used\ntool: Skill', '', { type: 'skill_used' }],
    ['type: tool_used\ntool: Skill\ninput_match: stamp', '', { type: 'skill_used', skill: 'office:stamp' }],
    ['type: tool_used\ntool: Skill\nmin: 0\nmax: 0\narm: both', '', { type: 'skill_not_used' }],
    ['type: tool_used\ntool: Agent\ninput_match: reviewer', '', { type: 'subagent_used', subagent: 'office:reviewer' }],
    ['type: tool_used\ntool: Bash\nmin: 0\nmax: 0', '', { type: 'max_commands', max: 0 }],
  ])('has graders that are gates: %s', (front, body, gate) => {
    const { gates, yaml, scenario } = valid({ prompt: 'Go.', graders: { one: grader(front, body) } });
    expect(gates).toEqual([{ name: 'one', ...gate }]);
    expect(scenario['baseline']).toBe(true);
    expect(loadScenario('x.yaml', yaml).ok).toBe(true);
  });

  it('runs only with the plugin if a gate could not pass without it', () => {
    const { scenario, notes } = valid({
      prompt: 'Go.',
      graders: { one: grader('type: tool_used\ntool: Read\narm: with-only') },
    });
    expect(scenario).not.toHaveProperty('baseline');
    expect(notes).toEqual(['runs only with the plugin, because without it, one cannot pass']);
  });

  it.each([
    ['type: regex\nmatch: not_contains', 'x', /no gate checks not_contains/],
    ['type: regex\nmatch: count:2', 'x', /no gate checks count:2/],
    ['type: regex\nflags: y', 'x', /flags 'y'/],
    ['type: regex', '(?<=a)b', /RE2 does not have this pattern/],
    ['type: regex\ntarget: trace', 'x', /target: trace/],
    ['type: regex\ntarget: mock_calls', 'x', /target: mock_calls/],
    ['type: llm\nfocus: files', 'x', /is shown the answer/],
    ['type: tool_order\nbefore: Read\nafter: Edit', '', /order of calls/],
    ['type: baseline\nbaseline_file: b.jsonl', 'x', /another run/],
    ['type: file_exists\npath: "**/*.md"', '', /by a pattern/],
    ['type: file_exists\npath: ../x', '', /no path in the workspace/],
    ['type: tool_used\ntool: Edit\nmin: 0\nmax: 0', '', /that Edit was not called/],
    ['type: tool_used\ntool: Read\nmax: 3', '', /upper limit/],
    ['type: tool_used\ntool: Read\nmin: 0', '', /always true/],
    ['type: tool_used\ntool: Bash\ninput_match: npm', '', /input of Bash/],
    ['type: tool_used\ntool: Skill\ninput_match: office', '', /exactly one skill/],
    ['type: tool_used\ntool: Skill\ninput_match: none', '', /exactly one skill/],
    ['type: exit_code', '', /./],
    ['type: llm\nweigth: 2', 'x', /weigth/],
    ['type: llm', '', /criteria|string/],
  ])('is refused where a grader is no gate, with its file: %s', (front, body, message) => {
    const found = problems({ prompt: 'Go.', graders: { other: LLM, one: grader(front, body) } });
    expect(found.join('\n')).toMatch(message);
    expect(found.every((one) => one.startsWith('graders/one.md:'))).toBe(true);
  });

  it.each([
    [{ prompt: 'Go.' }, /prompt\.md:1 the case has no graders, so its scenario would always pass/],
    [{ prompt: 'Go.', graders: { note: 'no front matter' } }, /no graders/],
    [{ prompt: '---\nmax_turns: 5\n---\n', graders: { a: LLM } }, /the case has no prompt/],
    [{ prompt: '---\nmax_trns: 5\n---\nGo.', graders: { a: LLM } }, /prompt\.md:2 .*max_trns.*did you mean/],
    [{ yaml: 'execution: {prompt: x}\nspeed: 3\n', graders: { a: LLM } }, /case\.yaml:2 .*speed/],
    [
      { yaml: 'execution: {prompt: x}\ncontext: {scaffold_script: s.sh}\n', graders: { a: LLM } },
      /case\.yaml:2 .*s\.sh/,
    ],
    [{ yaml: 'execution: {prompt: x}\ncontext: {history_file: h}\n', graders: { a: LLM } }, /case\.yaml:2 .*history/],
    [{ yaml: 'execution: {prompt: x, env: {A: b}}\n', graders: { a: LLM } }, /case\.yaml:1 .*variables of the agent/],
    [{ yaml: 'plugins: [../x]\nexecution: {prompt: x}\n', graders: { a: LLM } }, /case\.yaml:1 .*subject/],
    [{ prompt: '---\nappend_system_prompt: x\n---\nGo.', graders: { a: LLM } }, /system prompt/],
    [{ yaml: 'graders: [', graders: { a: LLM } }, /case\.yaml/],
  ])('is refused where something would be lost: %#', (given: Given, message) => {
    expect(problems(given).join('\n')).toMatch(message);
  });

  it('is never read with an exception, and never becomes a scenario without gates', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '---',
        'type: regex',
        'type: llm',
        'graders: []',
        'execution: {prompt: x}',
        'pattern: "("',
        'max: 0',
      ),
    );
    const text = fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(fc.record({ prompt: text, yaml: text, grader: text }), ({ prompt, yaml, grader: one }) => {
        const made = read({ prompt, yaml, graders: { one } });
        if (made.ok) expect(parse(made.value.yaml)).toHaveProperty('evaluation.gates[0]');
        else expect(made.problems.length).toBeGreaterThan(0);
      }),
    );
  });
});
