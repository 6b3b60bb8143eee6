import { expect, onTestFinished, test } from 'vitest';
import { createProject } from '../../commands/project.js';
import { CLI_NAMES, provideCli } from '../clis.js';
import { serve } from '../serve.js';
import { MODELS } from './models.js';

test.each(CLI_NAMES)('doctor --try starts the real %s, and reports answer, model, tokens and cost', async (agent) => {
  const program = await provideCli(agent, console.log);
  const server = await serve({ steps: [{ say: 'ready' }] });
  const project = await createProject({
    'llm-tool-test-config.toml': `[agents.${agent}]\ncommand = ${JSON.stringify(program)}\nmodels = ["${MODELS[agent]}"]\n`,
  });
  onTestFinished(() => project.remove());
  const env: Record<string, string> = { LLM_TOOL_TEST_ENABLED: '1' };
  for (const maker of ['ANTHROPIC', 'OPENAI', 'GEMINI']) env[`${maker}_API_KEY`] = 'key-of-the-test';
  for (const maker of ['ANTHROPIC', 'OPENAI', 'GOOGLE_GEMINI']) env[`${maker}_BASE_URL`] = server.url;
  const { exitCode, stdout } = await project.cli(['doctor', '--json', '--try', agent], env);
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'ok',
    checks: [
      {
        name: `try ${agent}`,
        detail: {
          agent,
          model: MODELS[agent],
          ending: 'done',
          answer: 'ready',
          usage: { input: expect.any(Number) as number, output: expect.any(Number) as number },
          cost_usd: expect.any(Number) as number,
        },
      },
    ],
  });
  expect(exitCode).toBe(0);
});
