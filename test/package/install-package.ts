import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { REPOSITORY } from '../commands/project.js';

export interface Packed {
  filename: string;
  unpackedSize: number;
  files: { path: string; mode: number }[];
}

interface Manifest {
  bin: Record<string, string>;
  dependencies: Record<string, string>;
  engines: { node: string };
  exports: Record<string, unknown>;
  os: string[];
  scripts: Record<string, string>;
}

export const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;

/**
 * Packs the package and installs it in an empty folder as npm does, without a registry: with its direct dependencies
 * and nothing else of ours. `without`: dependencies to leave out.
 */
export async function installPackage(folder: string, without: RegExp | null = null): Promise<Packed> {
  const { stdout } = await execa('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: REPOSITORY,
  });
  const [packed] = JSON.parse(stdout) as [Packed];
  const modules = join(folder, 'node_modules');
  const installed = join(modules, 'llm-tool-test');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await mkdir(installed);
  await execa('tar', ['xzf', join(folder, packed.filename), '--strip-components=1', '-C', installed]);
  const { bin, dependencies } = await readManifest(installed);
  for (const name of Object.keys(dependencies)) {
    if (without?.test(name) === true) continue;
    if (name.includes('/')) await mkdir(join(modules, name, '..'), { recursive: true });
    await symlink(join(REPOSITORY, 'node_modules', name), join(modules, name));
  }
  for (const [name, path] of Object.entries(bin))
    await symlink(join('../llm-tool-test', path), join(modules, '.bin', name));
  return packed;
}
