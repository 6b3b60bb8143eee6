import { describe, expect, test } from 'vitest';
import { chooseJudge, judgeProblems } from '../../src/planning/choose-judge.js';
import { draftOf, type DraftOptions } from '../../src/planning/draft.js';
import type { Project } from '../../src/planning/project.js';
import type { SelectedScenario } from '../../src/planning/select-scenarios.js';
import { UsageError } from '../../src/lib/errors/usage-error.js';
import { formatProblem } from '../../src/lib/errors/problem.js';
import { parseConfig } from '../../src/scenario/config.js';
import { loadScenario } from '../../src/scenario/load-scenario.js';
import type { Rubric } from '../../src/gates/judge/rubric.js';

const rubric: Rubric = {
  criteria: [{ id: 'a', weight: 1, description: 'x' }],
  output: { format: 'json', require_fields: [] },
};

function project(toml: string): Project {
  const loaded = parseConfig('c.toml', toml);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join());
  const { value: config, problemAt } = loaded;
  const folders = { root: '/p', configFile: '/p/c.toml', resultsPath: '/p/r', fixturesPath: '/p/f' };
  return { ...folders, config, configSource: { file: 'c.toml', text: toml, problemAt } };
}

function selected(judge: string): SelectedScenario {
  const text = `name: n
description: d
template_folder: f
target: {binary: cat}
task: {prompt: p}
evaluation:
  gates: []
  judge: {${judge}}
`;
  const loaded = loadScenario('s.yaml', text);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join());
  const { value, problemAt } = loaded;
  const { scenario } = value;
  return { file: 's.yaml', path: '/p/s.yaml', text, scenario, variants: [], rubric, warnings: [], problemAt };
}

const BASE = 'enabled: true, rubric: r.yaml, pass_threshold: 0.5';
const HOUSE = '[providers.house]\nbase_url = "http://127.0.0.1:1/v1"\nfree = true\n';
const JUDGE: DraftOptions = { judge: true };

/** The problems and the message of the usage error. */
function refusal(toml: string, judge: string, flags: DraftOptions = JUDGE): string {
  try {
    chooseJudge(project(toml), selected(judge), draftOf(flags));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [...error.problems.map(formatProblem), error.message].join('\n');
  }
  throw new Error('it was not refused');
}

describe('the model of the judge', () => {
  const modelOf = (toml: string, judge: string, flags: DraftOptions = JUDGE): string | undefined =>
    chooseJudge(project(toml), selected(judge), draftOf(flags))?.model;

  test('comes from the flag, else from the scenario, else from the config', () => {
    const toml = '[judge]\nmodel = "google/c"\n';
    const named = `${BASE}, model: openai/s`;
    expect(modelOf(toml, named, { judge: true, judgeModel: 'anthropic/f/g' })).toBe('anthropic/f/g');
    expect(modelOf(toml, named)).toBe('openai/s');
    expect(modelOf(toml, BASE)).toBe('google/c');
  });

  test('comes with the content of the rubric and the settings of the scenario', () => {
    expect(chooseJudge(project(''), selected(`${BASE}, model: openai/s, always: true`), draftOf(JUDGE))).toEqual({
      model: 'openai/s',
      rubric,
      rubric_file: 'r.yaml',
      pass_threshold: 0.5,
      always: true,
      timeout_secs: 300,
      votes: 1,
    });
  });

  test('is not needed if the judge is disabled or left out', () => {
    expect(modelOf('', 'enabled: false, rubric: r.yaml, pass_threshold: 0.5')).toBeUndefined();
    expect(modelOf('', BASE, { judge: false })).toBeUndefined();
  });

  test('must be named somewhere', () => {
    expect(refusal('', BASE)).toMatch(
      /^s\.yaml:8:3 evaluation\.judge: the judge has no model.*--judge-model or LLM_TOOL_TEST_JUDGE; or use --no-judge\. Known providers: anthropic, openai, google;/,
    );
  });

  test('must have a known provider; the problem is located where the model is written', () => {
    expect(refusal('', `${BASE}, model: antropic/x`)).toMatch(
      /^s\.yaml:8:70 evaluation\.judge\.model: unknown provider 'antropic'; did you mean 'anthropic'\?/,
    );
    expect(refusal('[judge]\nmodel = "hose/x"\n' + HOUSE, BASE)).toMatch(
      /^c\.toml:2:9 judge\.model: unknown provider 'hose'; did you mean 'house'\?.*anthropic, openai, google, house;/,
    );
    expect(refusal('', BASE, { judge: true, judgeModel: 'x/y' })).toMatch(
      /^--judge-model or LLM_TOOL_TEST_JUDGE: unknown provider 'x'/,
    );
    expect(refusal('', BASE, { judge: true, judgeModel: 'y' })).toMatch(/: expected provider/);
  });

  test('may be a known agent with a model that it accepts', () => {
    const byAgent = (name: string): string => refusal('', `${BASE}, model: 'agent:${name}'`);
    expect(modelOf('', `${BASE}, model: 'agent:codex/gpt-5.1'`)).toBe('agent:codex/gpt-5.1');
    expect(byAgent('codx/gpt-5.1')).toMatch(
      /^s\.yaml:8:70 evaluation\.judge\.model: unknown agent 'codx'; did you mean 'codex'\?/,
    );
    expect(byAgent('codex/anthropic/x')).toMatch(/evaluation\.judge\.model: codex: codex uses the Responses API/);
    expect(byAgent('pi/hause/x')).toMatch(/: pi with model 'hause\/x': unknown provider 'hause'/);
    expect(refusal('', BASE, { judge: true, judgeModel: 'agent:codex' })).toMatch(/: expected agent:<agent>\/<model>/);
  });

  test('is also checked by validate, which does not require one', () => {
    const problems = (toml: string, judge: string): string[] =>
      judgeProblems(project(toml), selected(judge)).map(formatProblem);
    expect(problems('', BASE)).toEqual([]);
    expect(problems(HOUSE, `${BASE}, model: house/x`)).toEqual([]);
    expect(problems('', `${BASE}, model: house/x`)).toEqual([expect.stringMatching(/^s\.yaml:8:70 /)]);
    expect(problems('', 'enabled: false, rubric: r, pass_threshold: 0, model: house/x')).toEqual([]);
  });
});
