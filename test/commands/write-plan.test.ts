import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { draftSweep } from '../../src/commands/plan/draft-sweep.js';
import { findFiles } from '../../src/commands/plan/find-scenario-files.js';
import { loadScenarios } from '../../src/commands/plan/select-scenarios.js';
import { writePlan } from '../../src/commands/plan/write-plan.js';
import { defaultConfig } from '../../src/scenario/config.js';
import { announceClean } from '../../src/store/clean-lock.js';
import { newFolder } from '../platform/temporary.js';
import { scenario, until } from './project.js';

test('a plan whose snapshots a clean takes away while it is written is ready only when they are there again', async () => {
  const root = await newFolder();
  const results = join(root, 'results');
  mkdirSync(join(root, 'fixtures', 'empty'), { recursive: true });
  writeFileSync(join(root, 'fixtures', 'empty', 'README.md'), 'x');
  writeFileSync(join(root, 'fixtures', 'a.yaml'), scenario('a', { steps: ['say: hi'] }));
  const project = {
    ...{ root, config: defaultConfig, configFile: null, configSource: null },
    ...{ resultsPath: results, fixturesPath: join(root, 'fixtures') },
  };
  const { scenarios } = await loadScenarios(project, findFiles(project, { files: [], all: true }));
  const draft = draftSweep(project, scenarios, {
    agents: [],
    models: [],
    variants: [],
    cache: true,
    judge: true,
  });

  const clean = await announceClean(results);
  const writing = writePlan(project, draft, 'raced');
  await until('the plan is written', () =>
    existsSync(join(results, 'sweeps')) && readdirSync(join(results, 'sweeps')).length > 0 ? true : null,
  );
  rmSync(join(results, '.store'), { recursive: true });
  await clean?.release();
  const { scenarios: planned } = await writing;
  expect(readdirSync(join(results, '.store'))).toHaveLength(2);
  expect(existsSync(join(results, '.store', planned[0]?.hash ?? '', 'scenario.json'))).toBe(true);
});
