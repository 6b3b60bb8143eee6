import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, test } from 'vitest';
import { findParts, isStatic, misfitReason, packAgent } from '../../../src/environments/container/pack-agent.js';
import { findExecutable } from '../../../src/host/process/find-deno.js';
import { newFolder, setEnv } from '../../host/temporary.js';

const NODE = '#!/usr/bin/env node\n';

/** A folder with these files, which can all be executed. */
async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = realpathSync(await newFolder());
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: 0o755 });
  }
  return folder;
}

const json = (name: string, dependencies: string[] = []): string =>
  JSON.stringify({ name, version: '1.0.0', dependencies: Object.fromEntries(dependencies.map((one) => [one, '*'])) });

/** Packs into a cache of its own. `agent`: its file in a folder, to which a program in `bin` links. */
async function pack(folder: string, agent: string, name = 'agent'): Promise<{ folder: string } | { why: string }> {
  setEnv({ LLM_TOOL_TEST_CACHE: await newFolder() });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  symlinkSync(join(folder, agent), join(folder, 'bin', name));
  return packAgent(join(folder, 'bin', name));
}

it('packs an npm package with what it needs, and Node', async () => {
  const folder = await folderOf({
    'lib/node_modules/@org/agent/package.json': json('@org/agent', ['hoisted', 'nested', 'missing']),
    'lib/node_modules/@org/agent/cli.js': `${NODE}import 'hoisted';`,
    'lib/node_modules/@org/agent/node_modules/nested/package.json': json('nested'),
    'lib/node_modules/hoisted/package.json': json('hoisted', ['deeper']),
    'lib/node_modules/deeper/package.json': json('deeper'),
    'lib/node_modules/other/package.json': json('other'),
  });
  const packed = await pack(folder, 'lib/node_modules/@org/agent/cli.js');
  if ('why' in packed) throw new Error(packed.why);
  const inside = join(packed.folder, 'agent/node_modules');
  for (const name of ['@org/agent/cli.js', '@org/agent/node_modules/nested', 'hoisted', 'deeper'])
    expect(existsSync(join(inside, name))).toBe(true);
  expect(existsSync(join(inside, 'other'))).toBe(false);
  expect(readFileSync(join(packed.folder, 'bin/agent'), 'utf8')).toContain(
    'exec /opt/llm-tool-test/agent/node /opt/llm-tool-test/agent/agent/node_modules/@org/agent/cli.js "$@"',
  );
  expect(existsSync(join(packed.folder, 'node'))).toBe(true);
  expect(existsSync(join(packed.folder, 'programs/acp-program.mjs'))).toBe(true);
});

it('packs a package of pnpm, which finds others by symlinks', async () => {
  const folder = await folderOf({
    'store/a/node_modules/agent/package.json': json('agent', ['b']),
    'store/a/node_modules/agent/cli.js': NODE,
    'store/b/node_modules/b/package.json': json('b'),
  });
  symlinkSync('../../b/node_modules/b', join(folder, 'store/a/node_modules/b'));
  const packed = await pack(folder, 'store/a/node_modules/agent/cli.js');
  if ('why' in packed) throw new Error(packed.why);
  expect(existsSync(join(packed.folder, 'agent/a/node_modules/b/package.json'))).toBe(true);
});

test.skipIf(findExecutable('busybox') === null)('starts the static binary that a package brings', async () => {
  const folder = await folderOf({
    'node_modules/agent/package.json': json('agent'),
    'node_modules/agent/cli.js': NODE,
    'node_modules/agent/vendor/bin/x': '',
  });
  const busybox = findExecutable('busybox') ?? '';
  copyFileSync(busybox, join(folder, 'node_modules/agent/vendor/bin/agent'));
  chmodSync(join(folder, 'node_modules/agent/vendor/bin/agent'), 0o755);
  expect([isStatic(busybox), isStatic(realpathSync(process.execPath))]).toEqual([true, false]);
  const packed = await pack(folder, 'node_modules/agent/cli.js');
  if ('why' in packed) throw new Error(packed.why);
  expect(readFileSync(join(packed.folder, 'bin/agent'), 'utf8')).toContain(
    'agent/node_modules/agent/vendor/bin/agent "$@"',
  );
});

it('packs an agent once, and again when it has changed', async () => {
  const folder = await folderOf({
    'node_modules/agent/package.json': json('agent'),
    'node_modules/agent/cli.js': NODE,
  });
  const first = await pack(folder, 'node_modules/agent/cli.js');
  expect(await packAgent(join(folder, 'bin/agent'))).toEqual(first);
  writeFileSync(join(folder, 'node_modules/agent/package.json'), json('agent', ['more']));
  expect(await packAgent(join(folder, 'bin/agent'))).not.toEqual(first);
});

it.each([
  ['#!/usr/bin/python3\n', 'is a program of Python, whose packages are not packed'],
  ['#!/bin/sh\n', 'is a script for /bin/sh; only binaries and npm packages are packed'],
  ['echo\n', 'is a script for no interpreter'],
])('refuses a script that begins with %j', async (text, why) => {
  const folder = await folderOf({ agent: text });
  expect(await findParts(join(folder, 'agent'))).toEqual({ why: expect.stringContaining(why) as string });
});

it.each([
  [
    "/x/node: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.28' not found (required by /x/node)\n/x/node: /lib/libm.so.6: version `GLIBC_2.9' not found",
    'its C library is older than glibc 2.28, which claude needs',
  ],
  [
    '/x/node: error while loading shared libraries: libstdc++.so.6: cannot open',
    'it has no libstdc++.so.6, which claude needs',
  ],
  ['musl\nsh: /x/claude: not found', 'its C library is musl, and claude of this machine is made for glibc'],
  ['sh: 1: /x/claude: not found', 'it has no glibc, for which claude of this machine is made'],
  ['a\nTypeError: b\nNode.js v20', 'claude does not start in it: TypeError: b'],
])('says of %j why an agent does not fit into an image', (stderr, reason) => {
  expect(misfitReason('/opt/bin/claude', stderr)).toBe(reason);
});
