import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeFiles } from '../../agent-host/run-host.js';
import { testRuntime } from '../../agent-host/runtime-cases.js';
import { PLUGIN } from '../../agent-host/scripted-plugin.js';
import { createProject, openRun } from '../../commands/project.js';
import { newFolder } from '../../host/temporary.js';
import { provideEliza, provideNode24 } from '../eliza-runtime.js';

async function newProjectFolder(): Promise<string> {
  const folder = await newFolder();
  await symlink(await provideEliza(), join(folder, 'node_modules'));
  await writeFiles(folder, { 'plugin.mjs': PLUGIN });
  return folder;
}

const BOOTSTRAP = '@elizaos/plugin-bootstrap';

describe('the agent eliza, with the real ElizaOS, on this Node', () => {
  testRuntime({
    folder: newProjectFolder,
    node: () => Promise.resolve(process.execPath),
    plugins: [BOOTSTRAP],
  });
});

describe('the agent eliza, with the real ElizaOS, on Node 24', () => {
  testRuntime({ folder: newProjectFolder, node: provideNode24, plugins: [BOOTSTRAP] });
});

const TYPED = `
import { Service, type Plugin } from '@elizaos/core';
class Clock extends Service {
  static serviceType = 'clock';
  capabilityDescription: string = 'Tells the time.';
  static async start(runtime: never): Promise<Clock> { return new Clock(runtime); }
  async stop(): Promise<void> {}
  async now(): Promise<string> { return 'noon'; }
}
const plugin: Plugin = { name: 'clock', description: 'Has a clock.', services: [Clock] };
export default plugin;
`;

const SCENARIO = `
name: stock
description: The agent remembers, counts and talks.
environment: { type: ENVIRONMENT }
character: { name: Ada, bio: Keeps the stock. }
plugins:
  - '${BOOTSTRAP}'
  - ./clock.ts
  - { name: ./plugin.mjs, config: { actions: CHECK_STOCK } }
setup:
  database:
    memories: [{ text: I sell lamps. }]
  mocks:
    - { service: stock, method: count, response: 12 }
    - { service: clock, method: now, response: midnight }
run:
  - input: How many lamps are there?
    evaluations:
      - { type: string_contains, value: There are 12 pieces }
      - { type: trajectory_contains_action, action: CHECK_STOCK }
  - input: Count again.
    evaluations:
      - { type: string_contains, value: There are 12 pieces }
`;

test.each(['local', 'bubblewrap'])('runs a scenario with two inputs in the environment %s', async (environment) => {
  const project = await createProject({
    'llm-tool-test-config.toml': '[agents.eliza]\nfree = true\n',
    'package.json': '{"name":"shop","type":"module"}',
    'stock.scenario.yaml': SCENARIO.replace('ENVIRONMENT', environment),
    'clock.ts': TYPED,
    'plugin.mjs': PLUGIN,
  });
  onTestFinished(() => project.remove());
  await symlink(await provideEliza(), join(project.folder, 'node_modules'));
  const { document, stderr } = await project.run(['stock.scenario.yaml']);
  const { run } = await openRun(document);
  expect(run, stderr).toMatchObject({ outcome: 'pass', agent: { ending: 'done' } });
  expect(run.mocks).toMatchObject({
    by_mock: [{ command: 'stock.count', calls: [{}, {}] }, { calls: [] }],
  });
  expect(run.warnings.join('\n')).toContain('mock 2 (clock.now) was never used');
});
