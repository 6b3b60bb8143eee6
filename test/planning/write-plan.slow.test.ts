import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { draftOf } from '../../src/planning/draft.js';
import { resolveSweep } from '../../src/planning/resolve-sweep.js';
import { findFiles } from '../../src/planning/find-scenario-files.js';
import { loadScenarios } from '../../src/planning/select-scenarios.js';
import { claimSweep, writePlan } from '../../src/planning/write-plan.js';
import { defaultConfig } from '../../src/scenario/config.js';
import { announceClean } from '../../src/store/results-log.js';
import { newFolder } from '../host/temporary.js';
import { createProject, scenario, until } from '../commands/project.js';

test('restores snapshots that a clean removes while the plan is written, before the plan is ready', async () => {
  const root = await newFolder();
  const results = join(root, 'results');
  mkdirSync(join(root, 'fixtures', 'empty'), { recursive: true });
  writeFileSync(join(root, 'fixtures', 'empty', 'README.md'), 'x');
  writeFileSync(join(root, 'fixtures', 'a.yaml'), scenario('a', { steps: ['say: hi'] }));
  const project = {
    root,
    config: defaultConfig,
    configFile: null,
    configSource: null,
    resultsPath: results,
    fixturesPath: join(root, 'fixtures'),
  };
  const { scenarios } = await loadScenarios(project, findFiles(project, { files: [], all: true }));
  const draft = resolveSweep(project, scenarios, draftOf({ name: 'raced' }), null);

  const clean = await announceClean(results);
  const writing = writePlan(draft);
  await until('the plan is written', () =>
    existsSync(join(results, 'sweeps')) && readdirSync(join(results, 'sweeps')).length > 0 ? true : null,
  );
  rmSync(join(results, '.store'), { recursive: true });
  await clean?.release();
  const { scenarios: planned } = (await writing).plan;
  expect(readdirSync(join(results, '.store'))).toHaveLength(2);
  expect(existsSync(join(results, '.store', planned[0]?.hash ?? '', 'scenario.json'))).toBe(true);
});

test('names the variant that is the same without the subject, if there is one', async () => {
  const root = await newFolder();
  mkdirSync(join(root, 'fixtures', 'empty'), { recursive: true });
  for (const file of ['empty/README.md', 'GUIDE.md']) writeFileSync(join(root, 'fixtures', file), 'x');
  const guide = 'subject: {instructions: GUIDE.md}';
  const variants = [
    ...['{name: bare}', `{name: guided, ${guide}}`],
    `{name: longer, ${guide}, prompt: 'Do it, and say so.'}`,
  ];
  const more = { a: `matrix: {variants: [${variants.join(', ')}]}`, b: `${guide}\nbaseline: true`, c: guide };
  for (const [name, text] of Object.entries(more))
    writeFileSync(join(root, 'fixtures', `${name}.yaml`), scenario(name, { steps: ['say: hi'], more: text }));
  const project = {
    root,
    config: defaultConfig,
    configFile: null,
    configSource: null,
    resultsPath: join(root, 'results'),
    fixturesPath: join(root, 'fixtures'),
  };
  const { scenarios } = await loadScenarios(project, findFiles(project, { files: [], all: true }));
  const { plan } = await writePlan(resolveSweep(project, scenarios, draftOf({ name: 'subjects' }), null));
  expect(plan.scenarios.map(({ name, variant, subject }) => [name, variant, subject])).toEqual([
    ['a', 'bare', undefined],
    ['a', 'guided', { parts: ['instructions'], without: 'bare' }],
    ['a', 'longer', undefined], // nothing has its prompt without the subject
    ['b', 'with', { parts: ['instructions'], without: 'without' }],
    ['b', 'without', undefined],
    ['c', 'default', undefined],
  ]);
});

test('concurrent commands never get the same sweep id, nor one that exists', async () => {
  const ids = fc.constantFrom('nightly-0', 'nightly-1', 'nightly-2', 'nightly-3', 'nightly-4', 'nightly-5');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(ids), { maxLength: 5 }), async (choices) => {
      const results = await newFolder();
      const before = join(results, 'sweeps', 'nightly-0', 'plan.json');
      mkdirSync(join(results, 'sweeps', 'nightly-0'), { recursive: true });
      writeFileSync(before, 'earlier');
      let fresh = 0;
      const claimed = await Promise.all(
        choices.map((chosen) => {
          const next = chosen.values();
          return claimSweep(results, 'nightly', () => next.next().value ?? `nightly-fresh-${(fresh += 1)}`);
        }),
      );
      expect(new Set(claimed).size).toBe(choices.length);
      expect(claimed).not.toContain('nightly-0');
      expect(readdirSync(join(results, 'sweeps')).sort()).toEqual([...claimed, 'nightly-0'].sort());
      expect(readFileSync(before, 'utf8')).toBe('earlier');
    }),
    { numRuns: 50 },
  );
});

test('ids of sweeps with the same name have enough bits to never match old results', async () => {
  const results = await newFolder();
  const suffix = (await claimSweep(results, 'nightly')).replace('nightly-', '');
  expect(suffix).toMatch(/^[0-9a-f]{12}$/);
});

/** Preloaded into the CLI: records its syncs and renames in order. A real power failure cannot be tested here. */
const RECORDS_SYNCS = `
  import { appendFileSync } from 'node:fs';
  import fs from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  const note = (...words) => appendFileSync(process.env.NOTES, words.join(' ') + '\\n');
  const { open, rename } = fs;
  fs.open = async (path, ...more) => {
    const file = await open(path, ...more);
    const sync = file.sync.bind(file);
    file.sync = async () => {
      await sync();
      note('sync', path);
    };
    return file;
  };
  fs.rename = async (from, to) => {
    await rename(from, to);
    note('rename', from, to);
  };
  syncBuiltinESMExports();`;

test('syncs everything in a snapshot before the snapshot gets its name', async () => {
  const project = await createProject({
    'spy.mjs': RECORDS_SYNCS,
    'fixtures/empty/README.md': 'x',
    'fixtures/empty/folder/file': 'y',
    'fixtures/a.yaml': scenario('a', { steps: ['say: hi'] }),
  });
  onTestFinished(() => project.remove());
  // Without a server, the command only plans the sweep.
  const env = { NODE_OPTIONS: `--import=${project.folder}/spy.mjs`, NOTES: `${project.folder}/notes` };
  await project.cli(['run', 'a', '--address', '127.0.0.1:1'], env);
  const store = join(project.results, '.store');
  const inStore = (path: string): string => path.replace(/\.\d+-[0-9a-f]{8}\.tmp/, '').slice(store.length + 1);
  const notes = (await project.read('notes'))
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, path = '']) => path.startsWith(store))
    .map(([what = '', path = '']) => `${what} ${inStore(path)}`);
  const [fixture = '', planned = ''] = notes
    .filter((note) => note.startsWith('rename '))
    .map((note) => note.slice('rename '.length));
  const inside = (hash: string, ...paths: string[]): string[] => paths.map((path) => `sync ${hash}${path}`);
  expect(notes).toEqual([
    ...inside(fixture, '/README.md', '/folder', '/folder/file', ''),
    ...[`rename ${fixture}`, 'sync '],
    ...inside(planned, '/scenario.json', '/scenario.yaml', ''),
    ...[`rename ${planned}`, 'sync '],
  ]);
  expect(readdirSync(store).sort()).toEqual([fixture, planned].sort());
});
