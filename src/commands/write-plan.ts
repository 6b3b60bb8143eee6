import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../lib/hash.js';
import { safeName } from '../lib/safe-name.js';
import { placeOnce, snapshotTree } from '../platform/tree.js';
import { writeFileAtomic } from '../platform/write-file.js';
import { SCHEMA_VERSION } from '../results/schema.js';
import type { EffectiveScenario, Plan } from '../scenario/plan.js';
import { planFile, storeFolder } from '../store/results-folder.js';
import type { Draft } from './draft-sweep.js';
import type { Project } from './project.js';

/** Readable, sortable, and unique among sweeps started in the same second. */
const newSweepId = (name: string | undefined): string => {
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${name === undefined ? stamp : safeName(name)}-${randomBytes(2).toString('hex')}`;
};

/** Copies all inputs into the store and writes the plan: from here on, editing files changes nothing. */
export async function writePlan(
  { resultsPath, config }: Project,
  draft: Draft,
  name: string | undefined,
): Promise<Plan> {
  const store = storeFolder(resultsPath);
  await mkdir(store, { recursive: true });
  const scenarios: Plan['scenarios'] = [];
  const fixtures = new Map<string, string>();
  for (const { selected, effective } of draft.scenarios) {
    const fixture = fixtures.get(selected.fixture) ?? (await snapshotTree(selected.fixture, store));
    fixtures.set(selected.fixture, fixture);
    const stored = `${JSON.stringify({ ...effective, fixture } satisfies EffectiveScenario, null, 2)}\n`;
    const hash = sha256(stored);
    await placeOnce(join(store, hash), async (folder) => {
      await writeFileAtomic(join(folder, 'scenario.json'), stored);
      await writeFileAtomic(join(folder, 'scenario.yaml'), selected.text);
    });
    scenarios.push({ name: selected.scenario.name, file: selected.file, hash });
  }
  const plan: Plan = {
    schema_version: SCHEMA_VERSION,
    sweep: newSweepId(name),
    created_at: new Date().toISOString(),
    concurrency: draft.concurrency,
    scenarios,
    agents: draft.agents,
    providers: draft.providers,
    caps: { agents: config.limits.agents, models: config.limits.models },
    cache: draft.cache,
    max_usd: draft.maxUsd,
    prices: config.prices,
    cells: draft.cells,
  };
  await writeFileAtomic(planFile(resultsPath, plan.sweep), `${JSON.stringify(plan, null, 2)}\n`);
  return plan;
}
