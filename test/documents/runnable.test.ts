import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject, REPOSITORY, type TestProject } from '../commands/project.js';
import { blocks } from './documents.js';

let project: TestProject;
beforeAll(async () => {
  project = await createProject({}, { ownEngine: true });
  await project.write('bin/llm-tool-test', `#!/bin/sh\nexec ${join(REPOSITORY, 'dist/cli.js')} "$@"\n`, 0o755);
  await project.write('bin/npx', '#!/bin/sh\n[ "$1" = --no ] && shift\nexec "$@"\n', 0o755);
});
afterAll(async () => {
  // The README has an example in a folder of its own, whose results have an engine of their own.
  await project.start(['engine', 'stop'], {}, 'skills');
  await project.remove();
});

// In the order of the documents: a later block may show the results of an earlier one.
const runnable = blocks('sh').filter(({ info }) => info === 'runnable');

test('some blocks are marked as runnable', () => {
  expect(runnable.length).toBeGreaterThanOrEqual(2);
});

test.each(runnable.map((block) => [block.place, block] as const))('%s succeeds', async (_, block) => {
  const { exitCode, all } = await execa('sh', ['-e', '-c', block.text], {
    cwd: project.folder,
    env: { ...project.env, PATH: `${join(project.folder, 'bin')}:${process.env['PATH'] ?? ''}` },
    reject: false,
    all: true,
  });
  expect(exitCode, all).toBe(0);
});
