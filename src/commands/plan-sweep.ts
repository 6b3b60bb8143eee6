import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { knownAgents } from '../agents/index.js';
import { sha256 } from '../lib/hash.js';
import { variableNames } from '../lib/interpolate.js';
import { nearest } from '../lib/nearest.js';
import { safeName } from '../lib/safe-name.js';
import { placeOnce, snapshotTree } from '../platform/tree.js';
import { writeFileAtomic } from '../platform/write-file.js';
import { SCHEMA_VERSION } from '../results/schema.js';
import { expandMatrix, type Cell } from '../scenario/expand-matrix.js';
import type { EffectiveScenario, Plan } from '../scenario/plan.js';
import { planFile, storeFolder } from '../store/results-folder.js';
import type { Project } from './project.js';
import type { SelectedScenario } from './select-scenarios.js';
import { UsageError } from './usage-error.js';

/** Settings that are read and checked, and that nothing acts on yet: said, so that nobody relies on them. */
export function withoutEffect({ config }: Project, selected: readonly SelectedScenario[]): string[] {
  const some = (what: string, is: boolean): string[] => (is ? [`${what} has no effect in this version`] : []);
  return [
    ...some('[limits.agents]', Object.keys(config.limits.agents).length > 0),
    ...some('[limits.models]', Object.keys(config.limits.models).length > 0),
    ...some('[prices]', Object.keys(config.prices).length > 0),
    ...some(
      'evaluation.judge',
      selected.some(({ scenario }) => scenario.evaluation.judge?.enabled === true),
    ),
  ];
}

/** What the command line says about a sweep. Lists are empty when nothing was said. */
export interface SweepFlags {
  agents: string[];
  models: string[];
  profile?: string;
  repeat?: number;
  concurrency?: number;
  timeoutSecs?: number;
  targetBinary?: string;
  name?: string;
}

/** A sweep that is checked and not yet written. */
export interface Draft {
  concurrency: number;
  cells: Cell[];
  scenarios: { selected: SelectedScenario; effective: Omit<EffectiveScenario, 'fixture'> }[];
  agents: Plan['agents'];
  /** Names of variables whose values the runs need. */
  variables: string[];
}

const DEFAULT_CONCURRENCY = 4;
const DEFAULT_TIMEOUT_SECS = 300;

/** Resolves agents, models, targets and limits. @throws UsageError; nothing is written. */
export function draftSweep(project: Project, selected: SelectedScenario[], flags: SweepFlags): Draft {
  const { config } = project;
  const agents = knownAgents(config.agents);
  const { cells, withoutAgent } = expandMatrix(
    selected.map(({ scenario }) => scenario),
    {
      flags: {
        agents: flags.agents,
        models: flags.models,
        ...(flags.repeat === undefined ? {} : { repeat: flags.repeat }),
      },
      profile: profileOf(project, flags.profile),
      agentModels: Object.fromEntries([...agents].map(([name, { models }]) => [name, models])),
    },
  );
  const known = [...agents.keys()];
  if (withoutAgent.length > 0) {
    throw new UsageError(
      'no_agent',
      `no agent is named for ${withoutAgent.join(', ')}; use --agents, a profile, or tool_matrix. Known agents: ${known.join(', ')}`,
    );
  }
  const used = [...new Set(cells.map(({ agent }) => agent))];
  for (const name of used) {
    const agent = agents.get(name);
    if (agent === undefined) {
      const near = nearest(name, known);
      throw new UsageError(
        'unknown_agent',
        `agent '${name}' is not known${near === null ? '.' : `; did you mean '${near}'?`} Known agents: ${known.join(', ')}. Others are defined in [agents.${name}] of llm-tool-test-config.toml`,
      );
    }
    if (!agent.free && process.env['LLM_TOOL_TEST_ENABLED'] !== '1') {
      throw new UsageError(
        'not_enabled',
        `agent '${name}' may spend money: set LLM_TOOL_TEST_ENABLED=1 to run it, or say free = true in [agents.${name}] if it costs nothing`,
      );
    }
  }
  const scenarios = selected.map((one) => ({
    selected: one,
    effective: effectiveScenario(project, one, flags),
  }));
  const configured = Object.fromEntries(
    Object.entries(config.agents)
      .filter(([name]) => used.includes(name))
      // A relative path is meant from the config file; the agent will start in its workspace.
      .map(([name, agent]) => [
        name,
        agent.command.includes('/') ? { ...agent, command: resolve(project.root, agent.command) } : agent,
      ]),
  );
  return {
    concurrency: flags.concurrency ?? config.limits.concurrency ?? DEFAULT_CONCURRENCY,
    cells,
    scenarios,
    agents: configured,
    variables: [
      ...scenarios.flatMap(({ effective }) => Object.values(effective.target.env).flatMap(variableNames)),
      ...Object.values(configured).flatMap(({ env }) => Object.values(env).flatMap(variableNames)),
      ...used.flatMap((name) => agents.get(name)?.env ?? []),
    ],
  };
}

function profileOf(
  { config }: Project,
  name: string | undefined,
): { agents: string[]; models: string[] } | null {
  if (name === undefined) return null;
  const profile = config.profiles[name];
  if (profile !== undefined) return profile;
  const known = Object.keys(config.profiles);
  const near = nearest(name, known);
  throw new UsageError(
    'unknown_profile',
    `profile '${name}' is not known${near === null ? '.' : `; did you mean '${near}'?`} ${known.length === 0 ? 'The config defines none.' : `Known: ${known.join(', ')}.`}`,
  );
}

function effectiveScenario(
  { config, root }: Project,
  { scenario, path, fixture, file, problemAt }: SelectedScenario,
  flags: SweepFlags,
): Omit<EffectiveScenario, 'fixture'> {
  const fromConfig = scenario.target === 'from_config';
  const base = scenario.target === 'from_config' ? config.target : scenario.target;
  if (base === undefined) throw new Error(`${file}: target from_config passed validation without a [target]`);
  const located =
    flags.targetBinary === undefined
      ? locateTarget(base.binary, fromConfig ? root : dirname(path), fixture)
      : locateBuild(flags.targetBinary);
  if (!located.found) {
    const where =
      flags.targetBinary === undefined ? (fromConfig ? ['target'] : ['target', 'binary']) : ['target'];
    throw new UsageError('target_missing', located.message, [problemAt(where, located.message)]);
  }
  return {
    scenario,
    target: base,
    target_path: located.path,
    timeout_secs: flags.timeoutSecs ?? scenario.run.timeout_secs ?? DEFAULT_TIMEOUT_SECS,
  };
}

/** The path is null for a name that is looked for on PATH when the run starts, and for a path into the fixture. */
type Located = { found: true; path: string | null } | { found: false; message: string };

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** The target as a scenario or the config names it. A relative path is meant from where it is written. */
function locateTarget(binary: string, from: string, fixture: string): Located {
  if (!binary.includes('/')) return { found: true, path: null };
  const inFixture = [fixture, join(fixture, 'initial-state')].some((folder) => isFile(join(folder, binary)));
  if (!isAbsolute(binary) && inFixture) return { found: true, path: null };
  const path = resolve(from, binary);
  if (isFile(path)) return { found: true, path };
  return {
    found: false,
    message: `target binary '${binary}' was not found in the fixture or from ${from}; build it, or correct the path`,
  };
}

/** The build that `--target-binary` puts in the target's place, under the target's own name; never the fixture's copy. */
function locateBuild(binary: string): Located {
  const folders = binary.includes('/') ? [process.cwd()] : (process.env['PATH'] ?? '').split(delimiter);
  const path = folders.map((folder) => resolve(folder, binary)).find(isFile);
  if (path !== undefined) return { found: true, path };
  return {
    found: false,
    message: `--target-binary ${binary} was not found ${binary.includes('/') ? `from ${process.cwd()}` : 'on PATH'}`,
  };
}

/** Readable, sortable, and unique among sweeps started in the same second. */
const newSweepId = (name: string | undefined): string => {
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${name === undefined ? stamp : safeName(name)}-${randomBytes(2).toString('hex')}`;
};

/** Copies all inputs into the store and writes the plan: from here on, editing files changes nothing. */
export async function writePlan(
  { resultsPath }: Project,
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
    cells: draft.cells,
  };
  await writeFileAtomic(planFile(resultsPath, plan.sweep), `${JSON.stringify(plan, null, 2)}\n`);
  return plan;
}
