import { apartFrom, requiresSandbox } from '#environments';
import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Agent } from '#agents';
import { defined, UsageError } from '#lib';
import {
  type EffectiveScenario,
  type Scenario,
  type ScenarioVariant,
  type Target,
  type UnstoredScenario,
  withAgentTimeout,
  withoutMocks,
} from '#scenario';
import { withoutIdleGates } from './checked-uses.js';
import { chooseGateModel, chooseJudge } from './choose-judge.js';
import type { Draft } from './draft.js';
import { isFile } from './file-checks.js';
import { findRuntime } from './find-runtime.js';
import type { Project } from './project.js';
import { withVariables } from './task-variables.js';
import type { SelectedScenario, SelectedVariant } from './select-scenarios.js';

/**
 * Merges options and config into a variant of a scenario that these agents run.
 *
 * @throws UsageError if its target or judge cannot be used
 */
export function effectiveScenario(
  project: Project,
  selected: SelectedScenario,
  variant: SelectedVariant,
  draft: Draft,
  agents: readonly Agent[],
): UnstoredScenario {
  const { scenario } = variant;
  const { file } = selected;
  const checked = withoutIdleGates(scenario, variant.subject);
  const unmocked = draft.live ? withoutMocks(checked) : checked;
  const sandboxed: Scenario =
    requiresSandbox() && unmocked.environment.type === 'local'
      ? { ...unmocked, environment: { type: 'bubblewrap' } }
      : unmocked;
  const used = withVariables(selected, variant, sandboxed, { ...process.env, ...draft.variables });
  const base = scenario.target === 'from_config' ? project.config.target : scenario.target;
  if (base === undefined) throw new Error(`${file}: target from_config passed validation without a [target]`);
  const asked = chooseGateModel(project, selected, variant, draft);
  const judge = chooseJudge(project, selected, draft);
  return {
    schema_version: 2,
    scenario: draft.timeoutSecs === null ? used : withAgentTimeout(used, draft.timeoutSecs),
    ...(base === null
      ? { target: null, target_path: null }
      : {
          target: { ...base, env: { ...base.env, ...variant.env } },
          target_path: targetPath(project, selected, variant, base, draft),
          ...targetFiles(project, selected, variant, draft),
        }),
    judge,
    ...defined({ asked }),
    ...hostOf(selected, variant, agents, Object.keys(draft.variables)),
    ...(variant.subject.length === 0 ? {} : { subject: variant.subject }),
  };
}

/** @throws UsageError if one of the target's files does not exist */
function targetFiles(
  project: Project,
  { path, file, text, problemAt }: SelectedScenario,
  variant: SelectedVariant,
  { targetBinary: given }: Pick<Draft, 'targetBinary'>,
): Pick<EffectiveScenario, 'target_files'> {
  const isOther = given !== null || variant.targetBinary !== null;
  const found = findTargetFiles(project, path, variant, isOther);
  if (found === null) return {};
  if (found.missing === null) return { target_files: found.paths };
  const { index, message } = found.missing;
  const place = variant.scenario.target === 'from_config' ? ['target'] : ['target', 'files', index];
  throw new UsageError('target_missing', message, [problemAt(place, message)], new Map([[file, text]]));
}

/**
 * Returns the absolute path of the target, or null if the run looks it up. `--target-binary` overrides the variant's
 * build, which overrides the target.
 *
 * @throws UsageError if the target is not found, or cannot be used in the scenario's container
 */
function targetPath(
  { root }: Project,
  { path, file, text }: SelectedScenario,
  { scenario, fixture, targetBinary, problemAt }: SelectedVariant,
  { binary }: Target,
  { targetBinary: given }: Pick<Draft, 'targetBinary'>,
): string | null {
  const folder = dirname(path);
  const fromConfig = scenario.target === 'from_config';
  const [located, places] =
    given !== null
      ? // a flag has no place in a file
        [locateBuild(given, process.cwd(), `--target-binary ${given}`), []]
      : targetBinary !== null
        ? [locateBuild(targetBinary, folder), [['target', 'binary']]]
        : [locateTarget(binary, fromConfig ? root : folder, fixture), [fromConfig ? ['target'] : ['target', 'binary']]];
  const message = located.found ? isolationProblem(scenario, located.path) : located.message;
  if (located.found && message === null) return located.path;
  const problems = places.map((place) => problemAt(place, message ?? ''));
  throw new UsageError('target_missing', message ?? '', problems, new Map([[file, text]]));
}

/**
 * Returns why the environment cannot use a target at this path. Containers and cloud sandboxes share no files with this
 * machine.
 */
function isolationProblem({ environment }: Scenario, path: string | null): string | null {
  const apart = apartFrom(environment);
  if (path === null || apart === null) return null;
  return `the target ${path} is not in the ${apart.place} of environment.type ${environment.type}; name a program on the PATH of ${apart.nameOf(environment)}, or a path into the fixture`;
}

/** Where the agents that run in the agent host find what they consist of. */
function hostOf(
  { path }: SelectedScenario,
  { scenario }: SelectedVariant,
  agents: readonly Agent[],
  /** Names of the variables of `--env-file`, which plugins may read. */
  fromFile: readonly string[],
): Pick<EffectiveScenario, 'host'> {
  if (!agents.some(({ isHosted }) => isHosted === true)) return {};
  const folder = dirname(path);
  if (!agents.some(({ usesRuntime }) => usesRuntime === true)) return { host: { folder, reads: [] } };
  const { reads, settings: ofPlugins } = findRuntime(folder, scenario);
  const settings = [...new Set([...ofPlugins, ...fromFile])].sort();
  return { host: { folder, reads, ...(settings.length === 0 ? {} : { settings }) } };
}

/** `path` is null for a name that is looked up on PATH when the run starts, and for a path into the fixture. */
type Located = { found: true; path: string | null } | { found: false; message: string };

/** Locates the target that a scenario or the config names. A relative path is resolved from the folder `from`. */
export function locateTarget(binary: string, from: string, fixture: string | null): Located {
  if (!binary.includes('/')) return { found: true, path: null };
  const inFixture =
    fixture !== null && [fixture, join(fixture, 'initial-state')].some((folder) => isFile(join(folder, binary)));
  if (!isAbsolute(binary) && inFixture) return { found: true, path: null };
  const path = resolve(from, binary);
  if (isFile(path)) return { found: true, path };
  return {
    found: false,
    message: `target binary '${binary}' was not found in the fixture or from ${from}; build it, or correct the path`,
  };
}

/**
 * Locates the build that `--target-binary` or a variant names in place of the target. Never returns the fixture's copy.
 * A relative path is resolved from the folder `from`. `described` is how an error message names the build.
 */
export function locateBuild(binary: string, from: string, described = binary): Located {
  const folders = binary.includes('/') ? [from] : (process.env['PATH'] ?? '').split(delimiter);
  const path = folders.map((folder) => resolve(folder, binary)).find(isFile);
  if (path !== undefined) return { found: true, path };
  return {
    found: false,
    message: `${described} was not found ${binary.includes('/') ? `from ${from}` : 'on PATH'}`,
  };
}

/** The files of a target besides its program. */
interface TargetFiles {
  /** Absolute paths. */
  paths: string[];
  /** The first one that does not exist: its index in `target.files`, and what to do. Null if all exist. */
  missing: { index: number; message: string } | null;
}

/**
 * Finds `target.files` of a scenario, or of the config. They are ignored (null) for another build (`--target-binary`,
 * or a variant's), which may have other files, unless the list is empty: the other build then has no further files
 * either.
 */
export function findTargetFiles(
  { root, config }: Pick<Project, 'root' | 'config'>,
  scenarioPath: string,
  { scenario }: Pick<ScenarioVariant, 'scenario'>,
  isOtherBuild: boolean,
): TargetFiles | null {
  const fromConfig = scenario.target === 'from_config';
  const files = (scenario.target === 'from_config' ? config.target : scenario.target)?.files;
  if (files === undefined || (isOtherBuild && files.length > 0)) return null;
  const from = fromConfig ? root : dirname(scenarioPath);
  const paths = files.map((one) => resolve(from, one));
  const index = paths.findIndex((path) => !existsSync(path));
  const message = `target.files: '${files[index]}' was not found from ${from}; correct the path, or create it first`;
  return { paths, missing: index === -1 ? null : { index, message } };
}
