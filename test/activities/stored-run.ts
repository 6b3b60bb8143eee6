import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sha256 } from '../../src/lib/hash.js';
import { loadScenario } from '../../src/scenario/load-scenario.js';
import type { EffectiveScenario, Plan } from '../../src/scenario/plan.js';
import type { Step } from '../../src/scenario/scenario.js';
import { fixtureFolder, planFile, scenarioFile } from '../../src/store/results-folder.js';
import type { RunRef } from '../../src/protocol/index.js';

/**
 * Stores the plan of a sweep `s` with one cell, its scenario and an empty fixture, as the CLI does. The steps `before`
 * come before those of the scenario.
 */
export async function storeRun(
  resultsPath: string,
  cell: RunRef['cell'],
  text: string,
  {
    before = [],
    plan = {},
    effective = {},
  }: { before?: Step[]; plan?: Partial<Plan>; effective?: Partial<EffectiveScenario> } = {},
): Promise<void> {
  const file = `${cell.scenario}.yaml`;
  const loaded = loadScenario(file, text);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const scenario: EffectiveScenario = {
    schema_version: 2,
    scenario: { ...loaded.value.scenario, steps: [...before, ...loaded.value.scenario.steps] },
    target: { binary: 'cat', env: {} },
    target_path: null,
    fixture: 'f',
    judge: null,
    ...effective,
  };
  const content = JSON.stringify(scenario);
  const hash = sha256(content);
  const stored: Plan = {
    schema_version: 1,
    sweep: 's',
    created_at: '',
    concurrency: 1,
    cache: false,
    max_usd: null,
    providers: {},
    agents: {},
    project: null,
    hidden: [],
    sandbox: { required: false, allow_loopback: [] },
    caps: { agents: {}, models: {} },
    prices: {},
    cells: [cell],
    scenarios: [{ name: cell.scenario, variant: 'default', file, path: `/${file}`, hash }],
    ...plan,
  };
  await mkdir(fixtureFolder(resultsPath, 'f'), { recursive: true });
  for (const [path, value] of [
    [planFile(resultsPath, 's'), JSON.stringify(stored)],
    [scenarioFile(resultsPath, hash), content],
  ] as const) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, value);
  }
}
