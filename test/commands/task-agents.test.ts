import { expect, onTestFinished, test } from 'vitest';
import { createProject } from './project.js';

const SERVER = '[[environment.mcp_servers]]\nname = "own"\ntransport = "stdio"\ncommand = "serve"\n';

/** Plans a run of a task with an agent; returns what is printed about it. */
async function refusal(toml: string, agent: string, config = ''): Promise<string> {
  const project = await createProject({
    'llm-tool-test-config.toml': config,
    'tasks/work/task.toml': toml,
    'tasks/work/instruction.md': 'Work.\n',
    'tasks/work/environment/Dockerfile': 'FROM scratch\n',
    'tasks/work/tests/test.sh': '#!/bin/sh\n',
  });
  onTestFinished(() => project.remove());
  const args = ['run', 'tasks/work', '--agents', agent, '--models', 'openai/gpt-5.5'];
  const { exitCode, stderr } = await project.cli(args, { LLM_TOOL_TEST_ENABLED: '1' });
  expect(exitCode).toBe(2);
  return stderr;
}

test.each([
  [
    'loop',
    '[environment]\nskills_dir = "/skills"\n',
    'tasks/work/task.toml:2:14 environment.skills_dir: the agent loop cannot be given skills that are in an image',
  ],
  ['loop', SERVER, 'environment.mcp_servers: the agent loop cannot be given the MCP servers of a task folder'],
  [
    'pi',
    SERVER,
    'environment.mcp_servers: the agent pi cannot be given the MCP servers of a task folder: it has no MCP client',
  ],
])('%s is refused for a task that gives agents what it cannot be given', async (agent, toml, message) => {
  expect(await refusal(toml, agent)).toContain(message);
});

test('an agent with a login, or of which nothing is known, is refused for a task without network', async () => {
  const shut = '[environment]\nnetwork_mode = "no-network"\n';
  const at = 'tasks/work/task.toml:2:16 environment.network_mode: ';
  expect(await refusal(shut, 'codex', '[agents.codex]\nauth = "login"\n')).toContain(
    `${at}the agent codex uses a login`,
  );
  expect(await refusal(shut, 'mine', '[agents.mine]\ncommand = "mine"\n')).toContain(
    `${at}the agent mine asks its model from within the container, which has no network`,
  );
});
