import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256 } from '../../lib/hash.js';
import { safeName } from '../../lib/safe-name.js';
import { isFolder, placeOnce, snapshotTree } from '../../platform/tree.js';
import { writeFileAtomic } from '../../platform/write-file.js';
import { SCHEMA_VERSION } from '../../results/schema.js';
import type { EffectiveScenario, Plan } from '../../scenario/plan.js';
import { cleanIsOver } from '../../store/clean-lock.js';
import { planFile, storeFolder } from '../../store/results-folder.js';
import type { Project } from '../project.js';
import type { Draft } from './draft-sweep.js';

/** Readable, sortable, and unique among sweeps started in the same second. */
const newSweepId = (name: string | undefined): string => {
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${name === undefined ? stamp : safeName(name)}-${randomBytes(2).toString('hex')}`;
};

/** Copies all inputs into the store and writes the plan: from here on, editing files changes nothing. */
export async function writePlan(project: Project, draft: Draft, name: string | undefined): Promise<Plan> {
  const { resultsPath, config } = project;
  const sweep = newSweepId(name);
  for (;;) {
    const { scenarios, hashes } = await storeInputs(storeFolder(resultsPath), draft);
    const plan: Plan = {
      schema_version: SCHEMA_VERSION,
      sweep,
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
      project: project.configFile === null ? null : project.root,
      hidden: inputsOf(project, draft),
    };
    await writeFileAtomic(planFile(resultsPath, sweep), `${JSON.stringify(plan, null, 2)}\n`);
    await cleanIsOver(resultsPath);
    // A `clean` that did not know the plan may have taken what the plan names.
    const isThere = await Promise.all(hashes.map((hash) => isFolder(join(storeFolder(resultsPath), hash))));
    if (isThere.every(Boolean)) return plan;
  }
}

/** What an agent is to be judged by: fixtures, scenarios, rubrics, and their history. */
const inputsOf = ({ root, configFile, fixturesPath }: Project, { scenarios }: Draft): string[] => [
  ...new Set([
    ...[fixturesPath, join(root, '.git'), ...(configFile === null ? [] : [configFile])],
    ...scenarios.flatMap(({ selected: { path }, variant: { fixture }, effective: { judge } }) => [
      ...[path, fixture],
      ...(judge === null ? [] : [join(dirname(path), judge.rubric_file)]),
    ]),
  ]),
];

/** Snapshots of the scenarios and of their fixtures. */
async function storeInputs(
  store: string,
  draft: Draft,
): Promise<{ scenarios: Plan['scenarios']; hashes: string[] }> {
  await mkdir(store, { recursive: true, mode: 0o755 });
  const scenarios: Plan['scenarios'] = [];
  const fixtures = new Map<string, string>();
  for (const { selected, variant, effective } of draft.scenarios) {
    const fixture = fixtures.get(variant.fixture) ?? (await snapshotTree(variant.fixture, store));
    fixtures.set(variant.fixture, fixture);
    const stored = `${JSON.stringify({ ...effective, fixture } satisfies EffectiveScenario, null, 2)}\n`;
    const hash = sha256(stored);
    await placeOnce(join(store, hash), async (folder) => {
      await writeFileAtomic(join(folder, 'scenario.json'), stored);
      await writeFileAtomic(join(folder, 'scenario.yaml'), selected.text);
    });
    scenarios.push({
      ...{ name: selected.scenario.name, variant: variant.variant },
      ...{ file: selected.file, hash },
    });
  }
  return { scenarios, hashes: [...new Set([...fixtures.values(), ...scenarios.map(({ hash }) => hash)])] };
}
