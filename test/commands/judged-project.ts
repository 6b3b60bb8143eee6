import type { ModelServer } from './model-server.js';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

export const KEYS = {
  HOUSE_KEY: 'house-key-4711-xyzzy',
  ANTHROPIC_API_KEY: 'anthropic-key-4712-xyzzy',
  OPENAI_API_KEY: 'openai-key-4713-xyzzy',
  GEMINI_API_KEY: 'gemini-key-4714-xyzzy',
};
export const RUBRIC = `criteria:
  - {id: correct, weight: 0.6, description: The note says what was asked for}
  - {id: tidy, weight: 0.4, description: Nothing else was touched}
output: {format: json, require_fields: [weighted_score, summary]}
`;
export const GATE = '{type: file_exists, path: note.txt}';
export const FAILING = '{type: file_exists, path: missing.txt}';

/** The answer of a model. Its `weighted_score` is wrong on purpose and must be ignored. */
export const judgment = (correct: number, tidy = correct): string =>
  JSON.stringify({
    issues: ['the note has no date'],
    highlights: ['one command was enough'],
    scores: { correct, tidy },
    weighted_score: 0.01,
    confidence: 0.8,
    summary: 'fine',
  });

interface JudgedOptions {
  judge?: string;
  gates?: string[];
  steps?: string[];
}

/** A scenario whose judge has these settings, in addition to rubric and threshold. */
export const judged = (
  name: string,
  model: string | null,
  { judge = '', gates = [GATE], steps = ['run: echo milk > note.txt'] }: JudgedOptions = {},
): string =>
  scenario(name, { gates, steps }).replace(
    'evaluation:',
    `evaluation:\n  judge: {enabled: true, rubric: rubric.yaml, pass_threshold: 0.7${model === null ? '' : `, model: ${model}`}${judge}}`,
  );

/** Environment of the project's commands, so that this server serves as every provider. */
export const judgeEnv = ({ address }: ModelServer): Record<string, string> => ({
  ...KEYS,
  LLM_TOOL_TEST_ENABLED: '1',
  LLM_TOOL_TEST_JUDGE: '',
  ANTHROPIC_BASE_URL: address,
  OPENAI_BASE_URL: `${address}/v1`,
  GOOGLE_GEMINI_BASE_URL: `${address}/`,
});

/** Files of a project with a rubric, whose config names the server as the provider `house`. */
export const judgedFiles = ({ address }: ModelServer): Record<string, string> => ({
  ...EMPTY_FIXTURE,
  'fixtures/rubric.yaml': RUBRIC,
  'llm-tool-test-config.toml': [
    '[judge]\nmodel = "house/by-config"',
    `[providers.house]\nbase_url = "${address}/house/v1"\napi_key = "\${HOUSE_KEY}"\nfree = true\n`,
    '[prices."gpt-5.1-served"]\ninput_per_mtok = 10\noutput_per_mtok = 100',
  ].join('\n'),
});

export const createJudgedProject = (server: ModelServer): Promise<TestProject> => createProject(judgedFiles(server));

/** Makes models judge as their names say. */
export function scriptModels(server: ModelServer): void {
  server.script('good', { say: judgment(1, 0.5) });
  server.script('low', { say: judgment(0.5, 0.9) });
  server.script('never', { say: judgment(1) });
  server.script('by-config', { say: judgment(1) });
  server.script('strict', { say: judgment(0.2) });
  server.script(
    'limited',
    { status: 429, headers: { 'retry-after': '2' }, body: '{"error":{"message":"slow down"}}' },
    { say: judgment(1) },
  );
  server.script('shaky', { status: 500 }, { status: 503, headers: { 'retry-after': '1' } }, { say: judgment(1) });
  server.script(
    'sloppy',
    { say: 'I liked it.' },
    { say: judgment(1).replace('"tidy"', '"tidyness"') },
    { say: `Here it is:\n\`\`\`json\n${judgment(0.8)}\n\`\`\`` },
  );
  server.script('plain', { sayWithoutSchema: `<think>{hm}</think>\n${judgment(0.9)}` });
  server.script(
    'voting',
    { say: judgment(1) },
    { say: 'I abstain.' },
    { say: judgment(0.4) },
    { status: 503 },
    { say: judgment(0.4) },
  );
  for (const model of ['claude-sonnet-4-5', 'gpt-5.1', 'gemini-2.5-pro']) server.script(model, { say: judgment(1) });
  // A server may answer anything, even its own key.
  server.script('leaky', { say: judgment(1).replace('the note has', `${KEYS.HOUSE_KEY} has`) });
}
