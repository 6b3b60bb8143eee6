import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Agent } from './agent.js';
import { classifyByExit } from './failures/classify.js';
import { mcpSettings } from './subject-files.js';
import { mockScript } from './mock-script.js';
import { ownEventStream } from './streams/event-stream.js';

/** Performs the scenario's `mock.steps`, as a real process that is supervised like any agent. */
export const mock: Agent = {
  name: 'mock',
  program: process.execPath,
  free: true,
  models: [],
  provider: () => null,
  modelProblem: () => null,
  login: null,
  subject: {
    skill: (folders) => join(folders.home, '.agents/skills'),
    instructions: (folders) => join(folders.home, 'AGENTS.md'),
    plugin: (folders) => join(folders.config, 'plugins'),
  },
  mcpProblem: null,
  limitsTurns: false,
  version: null,
  launch(request) {
    const mock = request.mock ?? { steps: [] };
    if (!request.hasNode) {
      const script = join(request.config, 'mock-steps.sh');
      const files = [{ path: script, content: mockScript(mock) }];
      return { argv: ['sh', script], env: {}, stdin: request.prompt, files };
    }
    const steps = join(request.config, 'mock-steps.json');
    const servers = join(request.config, 'mcp.json');
    const mcpServers = mcpSettings(request);
    const program = fileURLToPath(new URL('./mock-program.js', import.meta.url));
    return {
      argv: [process.execPath, program, steps, ...(mcpServers === null ? [] : [servers])],
      env: {},
      stdin: request.prompt,
      files: [
        { path: steps, content: JSON.stringify(mock) },
        ...(mcpServers === null ? [] : [{ path: servers, content: JSON.stringify({ mcpServers }) }]),
      ],
    };
  },
  resume: null,
  parser: ownEventStream,
  classify: classifyByExit,
};

/**
 * Stands for the agent in the cells of scenarios in which no agent takes part. Like `mock` it is free; it never starts.
 */
export const none: Agent = {
  ...mock,
  name: 'none',
  program: '',
  launch() {
    throw new Error('the scenario has no agent step');
  },
};
