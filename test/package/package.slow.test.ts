import { readFileSync } from 'node:fs';
import { lstat, mkdtemp, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { tarballProblems } from '../../scripts/release/tarball-problems.js';
import { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { REPOSITORY } from '../commands/project.js';
import { installPackage, readManifest, type Packed } from './install-package.js';

let folder: string;
let packed: Packed;
const installed = (): string => join(folder, 'node_modules/llm-tool-test');
const env = (): Record<string, string> => ({
  LLM_TOOL_TEST_HOME: join(folder, 'state'),
  TEMPORAL_ADDRESS: inject('temporalAddress'),
  NO_COLOR: '1',
  CI: '',
});
const npx = (...args: string[]) =>
  execa('npx', ['--no-install', 'llm-tool-test', ...args], { cwd: folder, env: env(), reject: false });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-package-'));
  packed = await installPackage(folder);
});
afterAll(async () => {
  await npx('engine', 'stop');
  await rm(folder, { recursive: true, force: true });
});

describe('the package, installed in an empty folder', () => {
  test('creates a valid scenario with init, and passes it and the examples with the free mock', async () => {
    const made = await npx('init', '--json');
    expect(made.exitCode, made.stderr).toBe(0);
    const valid = await npx('validate', '--json');
    expect(JSON.parse(valid.stdout)).toMatchObject({ valid: true, problems: [] });
    const examples = 'node_modules/llm-tool-test/fixtures';
    const { exitCode, stdout, stderr } = await npx('run', 'stock_delivery', examples, '--tier', '1', '--json');
    expect(exitCode, stderr).toBe(0);
    expect(SweepDocument.parse(JSON.parse(stdout)).totals).toMatchObject({ cells: 3, passed: 3 });
  });

  test('creates an agent script with the library that it needs', async () => {
    const { exitCode, stdout, stderr } = await npx('scripts', 'new', 'hello', '--json');
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      files: ['.agents/lib/script.ts', '.agents/scripts/hello/run.ts', '.agents/scripts/hello/README.md'],
    });
    expect(JSON.parse((await npx('scripts', 'list', '--json')).stdout)).toMatchObject({
      scripts: [{ name: 'hello', usage: 'deno run .agents/scripts/hello/run.ts <name>' }],
    });
  });

  test('contains the schema that the created scenario names for editors', async () => {
    const scenario = await readFile(join(folder, 'fixtures/stock_delivery.yaml'), 'utf8');
    const [, way = ''] = /\$schema=(\S+)/.exec(scenario) ?? [];
    expect(way).toBe('../node_modules/llm-tool-test/schema/scenario.schema.json');
    expect(JSON.parse(await readFile(join(folder, 'fixtures', way), 'utf8'))).toHaveProperty('properties');
  });

  test('has a bin that the system can start', async () => {
    const [[name, path] = ['', '']] = Object.entries((await readManifest(installed())).bin);
    const bin = join(folder, 'node_modules/.bin', name);
    expect(await readlink(bin)).toBe('../llm-tool-test/dist/cli.js');
    expect((await lstat(join(installed(), path))).mode & 0o111).toBe(0o111);
    const [shebang] = (await readFile(bin, 'utf8')).split('\n');
    // Without `--`, Node 20 would take --env-file as its own option.
    expect(shebang).toBe('#!/usr/bin/env -S node --');
    expect((await execa(bin, ['--version'], { cwd: tmpdir() })).stdout).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('exports its manifest, its schemas and the library, and nothing else', async () => {
    const load = (path: string) =>
      execa('node', ['-e', 'console.log(import.meta.resolve(process.argv[1]))', '--input-type=module', path], {
        cwd: folder,
        reject: false,
      });
    for (const path of ['', '/package.json', '/schema/scenario.schema.json', '/schema/events.schema.json'])
      expect((await load(`llm-tool-test${path}`)).exitCode, path).toBe(0);
    for (const path of ['/dist/cli.js', '/dist/worker.js'])
      expect((await load(`llm-tool-test${path}`)).stderr, path).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});

describe('the packed content', () => {
  test('contains what a user needs, and nothing else: no tests, no source maps, no keys', () => {
    expect(tarballProblems(packed, (path) => readFileSync(join(installed(), path), 'utf8'))).toEqual([]);
    expect(packed.files.filter(({ path }) => path.endsWith('.map'))).toEqual([]);
  });

  test('reveals nothing about the machine that built it', async () => {
    // In a worktree, the dependencies may be elsewhere.
    const places = [await realpath(REPOSITORY), dirname(await realpath(join(REPOSITORY, 'node_modules'))), homedir()];
    for (const { path } of packed.files) {
      const text = await readFile(join(installed(), path), 'utf8');
      const maps = [...text.matchAll(/sourceMappingURL=data:[^,]*;base64,(\S+)/g)].map(([, map = '']) =>
        Buffer.from(map, 'base64').toString(),
      );
      for (const part of [text, ...maps])
        expect(
          places.filter((place) => part.includes(`${place}/`)),
          path,
        ).toEqual([]);
      for (const map of maps) {
        const { sources } = JSON.parse(map) as { sources: string[] };
        expect(sources.filter((source) => !/^(src|node_modules|webpack)\//.test(source))).toEqual([]);
      }
    }
  });

  test('includes the licences of all packages with code in it', async () => {
    const licences = await readFile(join(installed(), 'dist/third-party-licences.txt'), 'utf8');
    const held = new Set<string>();
    for (const { path } of packed.files.filter((file) => /^dist\/.*\.js$/.test(file.path))) {
      // Both bundlers name the origin of each module before it.
      const text = await readFile(join(installed(), path), 'utf8');
      for (const [, name = ''] of text.matchAll(/^(?:\/\/| {2}!\*\*\*) \S*node_modules\/((?:@[^/]+\/)?[^/]+)\//gm))
        held.add(name);
    }
    expect([...held]).toEqual(expect.arrayContaining(['zod', 'yaml', '@temporalio/workflow']));
    // The unusual licences among the dependencies that npm installs.
    for (const name of ['caniuse-lite: CC-BY-4.0', 'argparse: PSF-2.0', 'unionfs: '])
      expect(licences).toContain(`\n${name}`);
    for (const name of held) expect(licences).toMatch(new RegExp(`^${name} \\d\\S* \\(\\S+\\)\\n\\n.`, 'm'));
  });

  test('says where it runs, and needs no install script', async () => {
    const { engines, os, scripts } = await readManifest(installed());
    expect(engines).toEqual({ node: '>=20.19' });
    expect(os).toEqual(['linux', 'darwin']);
    // `prepare` is not run when a package is installed from a registry.
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
  });

  test('has only two dependencies with install scripts, which only warn or repair', async () => {
    const lock = JSON.parse(await readFile(join(REPOSITORY, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean; dev?: boolean }>;
    };
    const withScript = Object.entries(lock.packages)
      .filter(([, { hasInstallScript, dev }]) => hasInstallScript === true && dev !== true)
      .map(([path]) => path);
    // `protobufjs` warns about version schemes; swc looks for its native part, which is a separate package. Both work
    // with --ignore-scripts, which is how this repository is installed where scripts are off.
    expect(withScript).toEqual(['node_modules/@swc/core', 'node_modules/protobufjs']);
  });
});
