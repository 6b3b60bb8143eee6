import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { REPOSITORY } from '../commands/project.js';
import { walk } from './walk.js';

let folder: string;
let tarball: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-walks-'));
  const { stdout } = await execa('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: REPOSITORY,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  tarball = join(folder, filename);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The variables of a user's shell: none of those that npm sets for the tests. */
const { PATH = '', HOME = '' } = process.env;

test.each(['own-tool', 'own-agent'])('%s: each command prints what the walk shows', async (name) => {
  const place = {
    folder: join(folder, name),
    env: {
      LLM_TOOL_TEST_OWNER: 'ann',
      PATH,
      HOME,
      NO_COLOR: '1',
      LANG: 'C.UTF-8',
      LLM_TOOL_TEST_HOME: join(folder, `state-${name}`),
      TARBALL: tarball,
    },
  };
  await mkdir(place.folder);
  const file = join(import.meta.dirname, `${name}.md`);
  try {
    await expect(await walk(file, place)).toMatchFileSnapshot(file);
  } finally {
    await execa('npx', ['--no', 'llm-tool-test', 'engine', 'stop'], {
      cwd: place.folder,
      env: place.env,
      extendEnv: false,
      reject: false,
    });
  }
});
