import { cp, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { newFolder } from '../host/temporary.js';
import { REPOSITORY } from './project.js';

test('a command whose program is built again or updated while it runs says so', async () => {
  const folder = await newFolder();
  await cp(join(REPOSITORY, 'dist'), join(folder, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map'),
  });
  await cp(join(REPOSITORY, 'package.json'), join(folder, 'package.json'));
  await symlink(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  // A new build has other files, and the rest of a running command is loaded when it is needed.
  const dist = join(folder, 'dist');
  for (const name of await readdir(dist)) if (/^steer-\w+\.js$/.test(name)) await rm(join(dist, name));
  const env = { LLM_TOOL_TEST_HOME: join(folder, 'state') };
  const { exitCode, stdout, stderr } = await execa(process.execPath, [join(dist, 'cli.js'), 'resume', 'x', '--json'], {
    cwd: folder,
    env,
    reject: false,
  });
  const message = expect.stringMatching(/was updated while this command ran.*; run the command again/) as string;
  expect(JSON.parse(stdout)).toEqual({ error: { code: 'infrastructure', message, problems: [] } });
  expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/^error: llm-tool-test was updated/)]);
});
