import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { findDeno } from '../../../src/host/process/find-deno.js';
import { newFolder } from '../temporary.js';

async function write(file: string, text: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, mode);
}

/** A project with Deno from npm: the build `@deno/here` is installed, the other one is not. */
async function projectWithDeno(): Promise<string> {
  const modules = join(await newFolder(), 'node_modules');
  const manifest = { name: 'deno', optionalDependencies: { '@deno/other': '1', '@deno/here': '1' } };
  await write(join(modules, 'deno/package.json'), JSON.stringify(manifest));
  await write(join(modules, '@deno/here/package.json'), '{"name":"@deno/here"}');
  await write(join(modules, '@deno/here/deno'), '', 0o755);
  return dirname(modules);
}

it('prefers Deno on PATH, then from npm in the project, then next to this program', async () => {
  const project = await projectWithDeno();
  const bin = await newFolder();
  await write(join(bin, 'deno'), '', 0o755);
  expect(findDeno(project, bin)).toBe(join(bin, 'deno'));
  const own = join(project, 'node_modules/@deno/here/deno');
  expect(findDeno(project, '')).toBe(own);
  expect(findDeno(join(project, 'packages/shop'), '')).toBe(own);
  for (const elsewhere of [null, await newFolder()]) expect(findDeno(elsewhere, '')).toMatch(/node_modules\/.*deno$/);
});

it('takes the executable instead of the Node program that npm puts on PATH to start it', async () => {
  const modules = join(await projectWithDeno(), 'node_modules');
  await write(join(modules, 'deno/bin.cjs'), '', 0o755);
  await mkdir(join(modules, '.bin'));
  await symlink('../deno/bin.cjs', join(modules, '.bin/deno'));
  expect(findDeno(null, join(modules, '.bin'))).toBe(join(modules, '@deno/here/deno'));
});

it('ignores a package of that name without an executable', async () => {
  const project = await newFolder();
  await write(join(project, 'node_modules/deno/package.json'), '{"name":"deno","optionalDependencies":{}}');
  expect(findDeno(project, '')).not.toContain(project);
  await write(join(project, 'node_modules/deno/package.json'), '{"name":"deno"}');
  expect(findDeno(project, '')).not.toContain(project);
});
