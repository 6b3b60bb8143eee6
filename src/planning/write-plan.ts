import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  hashTree,
  isRealFolder,
  isMirror,
  listTree,
  removeTree,
  snapshotNothing,
  snapshotTree,
  storeOnce,
  writeFileAtomic,
} from '#host';
import { defined, ENGINE_PROTOCOL, groupBy, type Json, safeName, sha256 } from '#lib';
import { contextInputs, SCHEMA_VERSION, subjectParts } from '#model';
import { type EffectiveScenario, type Plan, type PlanTemplate, TARGET_PROGRAM } from '#scenario';
import { cleanIsOver, planFile, storeFolder, sweepsFolder } from '#store';
import { WITHOUT } from '#subjects';
import { leavingOut } from './left-out.js';
import { monthUsdOf } from './owner.js';
import type { ResolvedScenario, ResolvedSweep } from './resolve-sweep.js';
import { leftOutOf } from './select-scenarios.js';

/** Makes a readable id for a sweep. Without a name it begins with the time (UTC), so that ids sort by age. */
function newSweepId(name: string | null): string {
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  // The suffix is long because a name may be used for years, and results.jsonl outlives the folders of sweeps.
  return `${name === null ? stamp : safeName(name)}-${randomBytes(6).toString('hex')}`;
}

/** Reserves an unused sweep id by creating the sweep's folder, which only one command can do. Returns the id. */
export async function claimSweep(
  resultsPath: string,
  name: string | null,
  newId: (name: string | null) => string = newSweepId,
): Promise<string> {
  await mkdir(sweepsFolder(resultsPath), { recursive: true, mode: 0o755 });
  for (;;) {
    const sweep = newId(name);
    try {
      await mkdir(dirname(planFile(resultsPath, sweep)), { mode: 0o755 });
      return sweep;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** A plan, and its scenarios as they are stored. */
export interface WrittenPlan {
  plan: Plan;
  stored: EffectiveScenario[];
}

/** Copies all inputs into the store and writes the plan. Editing the files later does not affect the sweep. */
export async function writePlan(resolved: ResolvedSweep): Promise<WrittenPlan> {
  const { resultsPath } = resolved.project;
  let sweep: string | null = null;
  return storeInputsAnd(resolved, async (template, stored) => {
    sweep ??= await claimSweep(resultsPath, resolved.name);
    const plan: Plan = { sweep, created_at: new Date().toISOString(), ...template };
    await writeFileAtomic(planFile(resultsPath, sweep), `${JSON.stringify(plan, null, 2)}\n`);
    return { plan, stored };
  });
}

/**
 * Copies all inputs into the store, and writes what refers to them. Both may happen several times, since a `clean` that
 * started before may delete the inputs.
 */
export async function storeInputsAnd<T>(
  resolved: ResolvedSweep,
  write: (template: PlanTemplate, stored: EffectiveScenario[]) => Promise<T>,
): Promise<T> {
  const { resultsPath } = resolved.project;
  const store = storeFolder(resultsPath);
  for (;;) {
    const { scenarios, stored, hashes } = await storeInputs(store, resolved, isMirror(resultsPath));
    const written = await write(templateOf(resolved, scenarios), stored);
    await cleanIsOver(resultsPath);
    if (hashes.every((hash) => isRealFolder(join(store, hash)))) return written;
  }
}

function monthBudget({ project, owner }: ResolvedSweep): Pick<Plan, 'month_usd'> {
  const usd = monthUsdOf(project.config, owner);
  return usd === null ? {} : { month_usd: usd };
}

const templateOf = (resolved: ResolvedSweep, scenarios: Plan['scenarios']): PlanTemplate => ({
  schema_version: SCHEMA_VERSION,
  ...defined({ owner: resolved.owner }),
  concurrency: resolved.concurrency,
  scenarios,
  agents: resolved.agents,
  providers: resolved.providers,
  caps: { agents: resolved.project.config.limits.agents, models: resolved.project.config.limits.models },
  cache: resolved.cache,
  ...(resolved.live ? { live: true } : {}),
  ...(isMirror(resolved.project.resultsPath) ? { protocol: ENGINE_PROTOCOL } : {}),
  ...(resolved.on.length === 0 ? {} : { on: resolved.on }),
  max_usd: resolved.maxUsd,
  ...monthBudget(resolved),
  prices: resolved.project.config.prices,
  cells: resolved.cells,
  ...defined({ until_clear: resolved.untilClear, regrade: resolved.regrade }),
  project: resolved.project.configFile === null ? null : resolved.project.root,
  sandbox: {
    required: resolved.project.config.require_sandbox,
    allow_loopback: resolved.project.config.sandbox.allow_loopback,
  },
  hidden: inputsOf(resolved),
});

/**
 * Files that reveal how the agent is judged: fixtures, checks, scenarios, rubrics, subjects, the config, and their
 * history.
 */
const inputsOf = ({ project: { root, configFile, fixturesPath }, scenarios }: ResolvedSweep): string[] => [
  ...new Set([
    ...[fixturesPath, join(root, '.git'), ...(configFile === null ? [] : [configFile])],
    ...scenarios.flatMap(
      ({ selected: { path }, variant: { fixture, checks, build, subjectPaths }, effective: { judge } }) => [
        ...[path, ...(fixture === null ? [] : [fixture]), ...(checks === null ? [] : [checks])],
        ...(build === null ? [] : [build]),
        ...(judge === null ? [] : [join(dirname(path), judge.rubric_file)]),
        ...subjectPaths,
      ],
    ),
  ]),
];

/**
 * Stores snapshots of the scenarios, their fixtures and their checks, and for hosts that share the results, of the
 * programs of targets. Returns the plan's entries and all hashes.
 */
async function storeInputs(
  store: string,
  resolved: ResolvedSweep,
  isShared: boolean,
): Promise<{ scenarios: Plan['scenarios']; stored: EffectiveScenario[]; hashes: string[] }> {
  await mkdir(store, { recursive: true, mode: 0o755 });
  const scenarios: Plan['scenarios'] = [];
  const wholes: EffectiveScenario[] = [];
  const folders = new Map<string, string>();
  const snapshot = async (folder: string | null, leftOut: readonly string[]): Promise<string> => {
    const key = JSON.stringify([folder, leftOut]);
    const stored =
      folders.get(key) ??
      (await (folder === null ? snapshotNothing(store) : snapshotTree(folder, store, leavingOut(leftOut))));
    folders.set(key, stored);
    return stored;
  };
  for (const { selected, variant, effective } of resolved.scenarios) {
    const leftOut = leftOutOf(variant);
    const { whole, stored, hash } = await wholeScenario({ variant, effective }, snapshot, isShared);
    wholes.push(whole);
    await storeOnce(join(store, hash), async (folder) => {
      await writeFile(join(folder, 'scenario.json'), stored, { mode: 0o644 });
      await writeFile(join(folder, 'scenario.yaml'), selected.text, { mode: 0o644 });
    });
    scenarios.push({
      name: selected.scenario.name,
      variant: variant.variant,
      file: selected.file,
      path: selected.path,
      hash,
      ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
      ...defined({ parameters: variant.parameters }),
    });
  }
  return {
    scenarios: withBaselines(scenarios, wholes),
    stored: wholes,
    hashes: [...new Set([...folders.values(), ...scenarios.map(({ hash }) => hash)])],
  };
}

/** Adds to the entries with a subject which variant is the same without it: their own baseline, or else any. */
function withBaselines(entries: Plan['scenarios'], wholes: readonly EffectiveScenario[]): Plan['scenarios'] {
  if (wholes.every(({ subject }) => subject === undefined)) return entries;
  const all = entries.map((entry, at) => {
    const whole = wholes[at];
    const parts = subjectParts(whole?.subject).map(({ name }) => name);
    return { entry, parts, key: JSON.stringify([entry.name, contextInputs(whole as unknown as Json)]) };
  });
  const alike = new Map(groupBy(all, ({ key }) => key).map((group) => [group[0]?.key, group]));
  return all.map(({ entry, parts, key }) => {
    if (parts.length === 0) return entry;
    const bare = (alike.get(key) ?? []).filter((other) => other.parts.length === 0);
    const names = bare.map((other) => other.entry.variant);
    const own = `${entry.variant}-${WITHOUT}`;
    const [without] = names.includes(own) ? [own] : names;
    return without === undefined ? entry : { ...entry, subject: { parts, without } };
  });
}

/** Returns the hash of a folder without some of its files; of an empty one for null. */
type HashFolder = (folder: string | null, leftOut: readonly string[]) => Promise<string>;

/** A scenario as it is stored, with the hashes of its folders. `isShared`: other hosts run it, too. */
async function wholeScenario(
  { variant: { fixture, checks, build, notCopied }, effective }: Pick<ResolvedScenario, 'variant' | 'effective'>,
  hashFolder: HashFolder,
  isShared: boolean,
): Promise<{ whole: EffectiveScenario; stored: string; hash: string }> {
  const whole: EffectiveScenario = {
    ...effective,
    fixture: await hashFolder(fixture, notCopied.fixture),
    ...(checks === null ? {} : { checks: await hashFolder(checks, notCopied.checks) }),
    ...(build === null ? {} : { build: await hashFolder(build, []) }),
    ...(isShared && effective.target_path !== null
      ? { target_stored: await hashProgram(effective.target_path, hashFolder) }
      : {}),
  };
  const stored = `${JSON.stringify(whole, null, 2)}\n`;
  return { whole, stored, hash: sha256(stored) };
}

/** Hashes the program of a target that is given by a path, which is no path on other hosts. */
async function hashProgram(path: string, hashFolder: HashFolder): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-target-'));
  try {
    await copyFile(path, join(folder, TARGET_PROGRAM));
    return await hashFolder(folder, []);
  } finally {
    await removeTree(folder);
  }
}

/** Returns the hash that a scenario would be stored under. Writes nothing. */
export async function hashOfScenario(
  scenario: Pick<ResolvedScenario, 'variant' | 'effective'>,
  resultsPath: string,
): Promise<string> {
  const hashFolder: HashFolder = async (folder, leftOut) =>
    folder === null ? hashTree('', []) : hashTree(folder, await listTree(folder, leavingOut(leftOut)));
  return (await wholeScenario(scenario, hashFolder, isMirror(resultsPath))).hash;
}
