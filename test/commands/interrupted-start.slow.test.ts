import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, filesBelow, scenario, until } from './project.js';

test('a run interrupted while it waits for the engine says how to start it later, and leaves no value of the shell on disk', async () => {
  // A server that accepts connections and never answers.
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await until('the server listens', () => (silent.listening ? true : null));
  const project = await createProject(
    {
      ...EMPTY_FIXTURE,
      'fixtures/keyed.yaml': scenario('keyed', { target: '{binary: cat, env: {KEY: "${THE_KEY}"}}' }),
    },
    { ownEngine: true },
  );
  onTestFinished(() => project.remove());
  const command = project.start(['run', 'keyed', '--agents', 'mock'], {
    TEMPORAL_ADDRESS: `127.0.0.1:${(silent.address() as AddressInfo).port}`,
    THE_KEY: 'a value of the shell',
  });
  let output = '';
  command.stderr.on('data', (text: Buffer) => (output += text.toString()));
  await until('the engine is waited for', () => (output.includes('engine: ') ? true : null));
  command.kill('SIGINT');
  const { exitCode, stderr } = await command;
  expect(exitCode).toBe(130);
  expect(stderr).toMatch(/is planned but not started; start it with `llm-tool-test resume \S+`/);
  for (const file of [...(await filesBelow(project.state)), ...(await filesBelow(project.results))])
    expect([file, (await readFile(file)).includes('a value of the shell')]).toEqual([file, false]);
});
