import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { loadText } from '../../src/planning/file-checks.js';
import { newFolder } from '../host/temporary.js';

let root: string;
const at = (path: string): string => join(root, path);

beforeEach(async () => {
  root = await newFolder();
  for (const folder of ['outside', 'project/fixtures', 'project/skills/pdf'])
    await mkdir(at(folder), { recursive: true });
  await writeFile(at('project/llm-tool-test-config.toml'), '');
  await writeFile(at('project/real.yaml'), 'inside');
  await writeFile(at('outside/private'), 'a secret');
});

test.each(['fixtures/s.yaml', 'skills/pdf/SKILL.md', 'rubric.yaml'])(
  'a file that is a symlink out of the project is not read, so that no message quotes it: %s',
  async (path) => {
    await symlink(at('outside/private'), at(`project/${path}`));
    expect(loadText(at(`project/${path}`))).toMatchObject({
      ok: false,
      reason: expect.stringContaining('a symlink to a file outside of the project') as string,
    });
  },
);

test('a symlink to a file of the same project is read, and so is a file below a folder that is one', async () => {
  await symlink('../real.yaml', at('project/fixtures/linked.yaml'));
  await symlink(at('project'), at('other'));
  expect(loadText(at('project/fixtures/linked.yaml'))).toEqual({ ok: true, text: 'inside' });
  expect(loadText(at('other/real.yaml'))).toEqual({ ok: true, text: 'inside' });
});

test('without a config or repository, the folder of the symlink is the project', async () => {
  await symlink(at('outside/private'), at('outside/near'));
  await symlink(at('outside/private'), at('far'));
  expect(loadText(at('outside/near'))).toEqual({ ok: true, text: 'a secret' });
  await symlink(at('project/real.yaml'), at('outside/away'));
  expect(loadText(at('outside/away'))).toMatchObject({ ok: false });
});
