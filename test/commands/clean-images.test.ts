import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packAgent } from '../../src/environments/container/pack-agent.js';
import { findExecutable } from '../../src/host/process/find-deno.js';
import { setEnv } from '../host/temporary.js';
import { createProject } from './project.js';

test('clean --images removes packed agents that no run uses, and says how many are used', async () => {
  const project = await createProject({ open: '', 'bin/empty': '' });
  onTestFinished(() => project.remove());
  // Without docker and podman, so that no image of another test is removed.
  symlinkSync(process.execPath, join(project.folder, 'bin', 'node'));
  const cache = join(project.folder, 'cache');
  mkdirSync(cache);
  const none = { PATH: join(project.folder, 'bin'), LLM_TOOL_TEST_CACHE: cache };
  const clean = async (...options: string[]): Promise<string> => {
    const ended = await project.cli(['clean', '--images', ...options], none);
    expect([ended.exitCode, ended.stderr]).toEqual([0, '']);
    return ended.stdout;
  };
  setEnv({ LLM_TOOL_TEST_CACHE: cache });
  const packed = await packAgent(findExecutable('tar') ?? '', undefined, join(project.folder, 'open'));
  if ('why' in packed) throw new Error(packed.why);

  expect(await clean()).toBe('removed 0 packed agents of 0 B; 1 in use\nimages: neither docker nor podman answers');
  rmSync(join(project.folder, 'open'));
  const uses = join(cache, 'packed', '.uses');
  utimesSync(join(uses, readdirSync(uses)[0] ?? ''), 0, 0);
  expect(await clean('--dry-run')).toMatch(/^would remove 1 packed agent of [\d.]+ MB\n/);
  expect(existsSync(packed.folder)).toBe(true);
  expect(JSON.parse(await clean('--json'))).toMatchObject({
    images: null,
    agents: [expect.stringMatching(/^tar-/)],
    agents_kept: [],
  });
  expect(existsSync(packed.folder)).toBe(false);
});
