import { dirname } from 'node:path';
import type { Agent } from '../agents/agent.js';
import { UsageError } from '../lib/errors/usage-error.js';
import type { EffectiveScenario, UnstoredScenario } from '../scenario/plan.js';
import { isApart, withAgentTimeout, withoutMocks, type Scenario } from '../scenario/scenario.js';
import type { Target } from '../scenario/target.js';
import { withoutIdleGates } from './checked-uses.js';
import { chooseAsked, chooseJudge, type JudgeFlags } from './choose-judge.js';
import { findRuntime } from './find-runtime.js';
import { locateBuild, locateTarget } from './locate-target.js';
import type { Project } from './project.js';
import type { SelectedScenario, SelectedVariant } from './select-scenarios.js';
import { findTargetFiles } from './target-files.js';

/** The flags that change scenarios. */
export interface ScenarioFlags {
  timeoutSecs?: number;
  targetBinary?: string;
  /** Whether mocks are ignored. */
  live: boolean;
  /** Names of the variables of `--env-file`, which plugins of an ElizaOS runtime may read, as they do there. */
  fromFile?: readonly string[];
}

/**
 * Merges flags and config into a variant of a scenario that these agents run.
 *
 * @throws UsageError if its target or judge cannot be used
 */
export function effectiveScenario(
  project: Project,
  selected: SelectedScenario,
  variant: SelectedVariant,
  flags: JudgeFlags & ScenarioFlags,
  agents: readonly Agent[],
): UnstoredScenario {
  const { scenario } = variant;
  const { file } = selected;
  const checked = withoutIdleGates(scenario, variant.subject);
  const used = flags.live ? withoutMocks(checked) : checked;
  const base = scenario.target === 'from_config' ? project.config.target : scenario.target;
  if (base === undefined) throw new Error(`${file}: target from_config passed validation without a [target]`);
  const asked = chooseAsked(project, selected, variant, flags);
  return {
    schema_version: 2,
    scenario: flags.timeoutSecs === undefined ? used : withAgentTimeout(used, flags.timeoutSecs),
    ...(base === null
      ? { target: null, target_path: null }
      : {
          target: { ...base, env: { ...base.env, ...variant.env } },
          target_path: targetPath(project, selected, variant, base, flags),
          ...targetFiles(project, selected, variant, flags),
        }),
    judge: chooseJudge(project, selected, flags),
    ...(asked === undefined ? {} : { asked }),
    ...hostOf(selected, variant, agents, flags.fromFile),
    ...(variant.subject.length === 0 ? {} : { subject: variant.subject }),
  };
}

/** @throws UsageError if one of the target's files does not exist */
function targetFiles(
  project: Project,
  { path, file, text, problemAt }: SelectedScenario,
  variant: SelectedVariant,
  flags: ScenarioFlags,
): Pick<EffectiveScenario, 'target_files'> {
  const isOther = flags.targetBinary !== undefined || variant.targetBinary !== null;
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
  flags: ScenarioFlags,
): string | null {
  const folder = dirname(path);
  const fromConfig = scenario.target === 'from_config';
  const [located, places] =
    flags.targetBinary !== undefined
      ? // a flag has no place in a file
        [locateBuild(flags.targetBinary, process.cwd(), `--target-binary ${flags.targetBinary}`), []]
      : targetBinary !== null
        ? [locateBuild(targetBinary, folder), [['target', 'binary']]]
        : [
            locateTarget(binary, fromConfig ? root : folder, fixture),
            [fromConfig ? ['target'] : ['target', 'binary']],
          ];
  const message = located.found ? whyNotInside(scenario, located.path) : located.message;
  if (located.found && message === null) return located.path;
  const problems = places.map((place) => problemAt(place, message ?? ''));
  throw new UsageError('target_missing', message ?? '', problems, new Map([[file, text]]));
}

/** Why the environment cannot use a target at this path. Containers and cloud sandboxes share no files with this machine. */
function whyNotInside({ environment }: Scenario, path: string | null): string | null {
  if (path === null || !isApart(environment)) return null;
  const [place, source] =
    environment.type === 'docker' ? ['container', environment.image] : ['sandbox', 'the template'];
  return `the target ${path} is not in the ${place} of environment.type ${environment.type}; name a program on the PATH of ${source}, or a path into the fixture`;
}

/** Where the agents that run in the agent host find what they consist of. */
function hostOf(
  { path }: SelectedScenario,
  { scenario }: SelectedVariant,
  agents: readonly Agent[],
  fromFile: readonly string[] = [],
): Pick<EffectiveScenario, 'host'> {
  if (!agents.some(({ isHosted }) => isHosted === true)) return {};
  const folder = dirname(path);
  if (!agents.some(({ name }) => name === 'eliza')) return { host: { folder, reads: [] } };
  const { reads, settings: ofPlugins } = findRuntime(folder, scenario);
  const settings = [...new Set([...ofPlugins, ...fromFile])].sort();
  return { host: { folder, reads, ...(settings.length === 0 ? {} : { settings }) } };
}
