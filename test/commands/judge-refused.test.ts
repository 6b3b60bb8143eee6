import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createJudgedProject, judged, judgeEnv, RUBRIC } from './judged-project.js';
import { createModelServer, type ModelServer } from './model-server.js';
import type { TestProject } from './project.js';

let server: ModelServer;
let project: TestProject;
let env: Record<string, string>;

beforeAll(async () => {
  server = await createModelServer();
  env = judgeEnv(server);
  project = await createJudgedProject(server);
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

describe('a judge is refused before anything runs, with exit 2,', () => {
  const refuse = async (model: string | null, more: Record<string, string> = {}): Promise<string> => {
    await project.write('rubric.yaml', RUBRIC);
    await project.write('refused.yaml', judged('refused', model));
    const { exitCode, stderr } = await project.cli(['run', 'refused.yaml'], { ...env, ...more });
    expect(exitCode).toBe(2);
    return stderr;
  };

  test('if it may spend money and LLM_TOOL_TEST_ENABLED is not set', async () => {
    const message = await refuse('anthropic/claude-sonnet-4-5', { LLM_TOOL_TEST_ENABLED: '' });
    expect(message).toMatch(/judge anthropic\/claude-sonnet-4-5 may spend money: set LLM_TOOL_TEST_ENABLED=1/);
  });

  test('if its provider is unknown, with the place in the config', async () => {
    const config = await project.read('llm-tool-test-config.toml');
    await project.write('llm-tool-test-config.toml', '[judge]\nmodel = "hause/x"\n');
    const message = await refuse(null);
    await project.write('llm-tool-test-config.toml', config);
    expect(message).toMatch(/llm-tool-test-config\.toml:2:9 judge\.model: unknown provider 'hause'/);
  });
});
