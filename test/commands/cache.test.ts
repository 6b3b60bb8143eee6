import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

let project: TestProject;
beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'bin/tool': '#!/bin/sh\necho version 1\n',
    'check.sh': '#!/bin/sh\nexit 0\n',
    'agent.sh': '#!/bin/sh\necho hello\n',
    'llm-tool-test-config.toml': '[agents.own]\ncommand = "./agent.sh"\nfree = true\n',
  });
  for (const file of ['bin/tool', 'check.sh', 'agent.sh'])
    await project.write(file, await project.read(file), 0o755);
  await project.write('fixtures/cached.yaml', text());
});
afterAll(() => project.remove());

const text = (more = ''): string =>
  scenario('cached', {
    target: `{binary: ../bin/tool, health_check: tool}`,
    gates: [`{type: command_succeeds, command: ${join(project.folder, 'check.sh')}}`],
    steps: ["say: 'hello'"],
    more,
  });
const runFolders = async () =>
  (await readdir(project.results)).filter((name) => /^\d{8}-\d{6}-/.test(name)).length;
const cachedIn = async (...args: string[]) => {
  const { exitCode, document } = await project.run(['cached', ...args]);
  expect(exitCode).toBe(0);
  return document.totals.cached;
};

describe('a finished run', () => {
  test('is reused by a run of the same inputs, shown as cached, and leaves no folder of its own', async () => {
    const first = await project.run(['cached']);
    expect(first.document.totals).toMatchObject({ passed: 1, cached: 0 });
    const folders = await runFolders();
    const second = await project.run(['cached']);
    expect(second.document.totals).toMatchObject({ passed: 1, cached: 1 });
    const [before, now] = [first.document.cells[0], second.document.cells[0]];
    expect(now).toMatchObject({
      cached: true,
      attempts: 0,
      results_dir: before?.results_dir,
      gates_passed: 1,
    });
    expect(await runFolders()).toBe(folders);
    expect((await project.cli(['run', 'cached'])).stdout).toMatch(/cached +mock.*cached\n/);
    expect((await project.resultLines()).at(-1)).toMatchObject({
      cached_from: before?.results_dir?.split('/').at(-1),
    });
  });
  test('is not reused with --no-cache, and the new one is reused later', async () => {
    expect(await cachedIn('--no-cache')).toBe(0);
    expect(await cachedIn()).toBe(1);
  });
  test('is not reused by another repetition, another model or another agent', async () => {
    expect(await cachedIn('--repeat', '2')).toBe(1);
    expect(await cachedIn('--models', 'other')).toBe(0);
    expect(await cachedIn('--agents', 'own')).toBe(0);
    expect(await cachedIn('--agents', 'own')).toBe(1);
  });
  test.each<[string, () => Promise<void>, string[]]>([
    ["the fixture's AGENTS.md", () => project.write('fixtures/empty/AGENTS.md', 'be brief'), []],
    ['the prompt', () => project.write('fixtures/cached.yaml', text().replace('do it', 'do it now')), []],
    ['a script outside the fixture', () => project.write('check.sh', '#!/bin/sh\ntrue\n', 0o755), []],
    [
      'what the health check prints, and the target',
      () => project.write('bin/tool', '#!/bin/sh\necho version 2\n', 0o755),
      [],
    ],
    [
      "the agent's program",
      () => project.write('agent.sh', '#!/bin/sh\necho hi\n', 0o755),
      ['--agents', 'own'],
    ],
  ])('is not reused after a change of %s', async (_, change, args) => {
    await change();
    expect(await cachedIn(...args)).toBe(0);
  });
  test('is reused again when nothing has changed since', async () => {
    expect(await cachedIn()).toBe(1);
  });
  test('is not reused where the scenario says cache: false', async () => {
    await project.write('fixtures/cached.yaml', text('cost: {cache: false}'));
    expect(await cachedIn()).toBe(0);
    expect(await cachedIn()).toBe(0);
  });
  test('is not reused when its folder is gone', async () => {
    await project.write('fixtures/cached.yaml', text('tier: 1'));
    const { document } = await project.run(['cached']);
    expect(await cachedIn()).toBe(1);
    const folder = document.cells[0]?.results_dir ?? '';
    expect(existsSync(folder)).toBe(true);
    await rm(folder, { recursive: true });
    expect(await cachedIn()).toBe(0);
  });
  test('is not reused when its agent did not complete', async () => {
    await project.write(
      'fixtures/cached.yaml',
      scenario('cached', { gates: ['{type: file_exists, path: README.md}'], steps: ['exit: 7'] }),
    );
    expect(await cachedIn()).toBe(0);
    expect(await cachedIn()).toBe(0);
  });
});
