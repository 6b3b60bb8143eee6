import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDoctorProject, doctor } from './doctor-project.js';
import type { TestProject } from './project.js';

let project: TestProject;
beforeAll(async () => {
  project = await createDoctorProject();
});
afterAll(() => project.remove());

describe('doctor checks agents', () => {
  const CONFIG = `
[agents.house]
command = "./bin/house"
version_command = "echo house 1.2"
env = { TOKEN = "\${HOUSE_KEY}" }
[agents.gone]
command = "no-such-agent"
free = true
[agents.talker]
acp = "qwen"
command = "no-such-qwen"
[agents.mute]
command = "./bin/house"
version_command = "exit 3"
`;

  test('and reports path, version, whether it is free, and which variables are set, never their values', async () => {
    await project.write('llm-tool-test-config.toml', CONFIG);
    const secret = 'a-secret-value';
    const { exitCode, status, found } = await doctor(project, { HOUSE_KEY: secret, OPENAI_API_KEY: secret });
    expect([exitCode, status]).toEqual([0, 'warning']);
    expect(found.get('agent house')).toMatchObject({
      status: 'ok',
      detail: {
        agent: 'house',
        executable: join(project.folder, 'bin/house'),
        version: 'house 1.2',
        free: false,
        variables: [{ name: 'HOUSE_KEY', set: true }],
      },
    });
    expect(found.get('agent gone')).toMatchObject({
      status: 'warning',
      detail: { free: true, executable: null },
    });
    expect(found.get('agent talker')).toMatchObject({
      status: 'warning',
      message: 'no-such-qwen was not found',
      remedy: 'install it (npm install -g @qwen-code/qwen-code@0.24.4), or correct `command` in [agents.talker]',
    });
    expect(found.get('agent copilot')?.message).toBe('not installed (npm install -g @github/copilot@1.0.102)');
    expect(found.get('agent mute')).toMatchObject({ status: 'warning', detail: { version: null } });
    expect(found.get('judge keys')?.message).toMatch(/OPENAI_API_KEY set/);
    expect(JSON.stringify([...found])).not.toContain(secret);
  });

  test('and warns, with a remedy, of unset variables and of LLM_TOOL_TEST_ENABLED other than 1', async () => {
    await project.write('llm-tool-test-config.toml', CONFIG);
    const { found } = await doctor(project, { LLM_TOOL_TEST_ENABLED: 'true' });
    expect(found.get('agent house')).toMatchObject({
      status: 'warning',
      remedy: expect.stringMatching(/^set HOUSE_KEY, or .*--env-file/) as string,
    });
    expect(found.get('LLM_TOOL_TEST_ENABLED')?.status).toBe('warning');
  });
});
