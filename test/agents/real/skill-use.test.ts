import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProject, openRun, scenario } from '../../commands/project.js';
import { CLI_NAMES, provideCli } from '../clis.js';
import { serve } from '../serve.js';
import { MODELS } from './models.js';

const skillOf = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\nWrite out.txt.\n`;

test.each(CLI_NAMES)('gates see which skill the real %s has used', async (agent) => {
  const program = await provideCli(agent, console.log);
  const project = await createProject(
    {
      'llm-tool-test-config.toml': `[agents.${agent}]\ncommand = ${JSON.stringify(program)}\nmodels = ["${MODELS[agent]}"]\n`,
      'fixtures/empty/README.md': 'nothing\n',
      'fixtures/skills/stamp/SKILL.md': skillOf('stamp', 'Stamps documents.'),
      'fixtures/skills/other/SKILL.md': skillOf('other', 'Does something else.'),
    },
    { ownEngine: true },
  );
  onTestFinished(() => project.remove());
  const server = await serve({
    steps: [{ skill: 'stamp' }, { run: 'echo done > out.txt' }, { say: 'All is done.' }],
  });
  const gates = ['skill_used, skill: stamp', 'skill_used', 'skill_not_used, skill: other', 'skill_used, skill: other'];
  await project.write(
    'fixtures/stamp.yaml',
    scenario('stamp', {
      target: null,
      gates: gates.map((gate) => `{type: ${gate}}`),
      more: `tool_matrix: [{agent: ${agent}}]\nsubject: [{skill: skills/stamp}, {skill: skills/other}]`,
    }),
  );
  const env: Record<string, string> = { LLM_TOOL_TEST_ENABLED: '1', HOME: join(project.folder, 'home') };
  for (const maker of ['ANTHROPIC', 'OPENAI', 'GEMINI']) env[`${maker}_API_KEY`] = 'key-of-the-test';
  for (const maker of ['ANTHROPIC', 'OPENAI', 'GOOGLE_GEMINI']) env[`${maker}_BASE_URL`] = server.url;
  const { document } = await project.run(['stamp'], env);
  const { metrics } = await openRun(document);
  expect(metrics.details.map(({ status, message }) => [status, message])).toEqual([
    ['pass', 'the agent used "stamp" 1 time'],
    ['pass', 'the agent used "stamp" 1 time'],
    ['pass', 'the agent did not use "other"'],
    ['fail', 'the agent did not use "other"; it used "stamp"'],
  ]);
});
