import { apartFrom } from '#environments';
import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { knownAgents, PLACEHOLDERS } from '#agents';
import { findExecutable, plannedHomes, programFiles } from '#host';
import type { Path } from '#input';
import { formatProblem, type Problem, suggest } from '#lib';
import { mockedTools } from '#mocks';
import { DEFAULT_VARIANT } from '#model';
import { checksNothing } from '#scenario';
import type { Draft } from './draft.js';
import { findTargetFiles, locateBuild, locateTarget } from './effective-scenario.js';
import { exposedCheckWarnings } from './exposed-checks.js';
import type { Project } from './project.js';
import type { ResolvedSweep } from './resolve-sweep.js';
import type { SelectedScenario, SelectedVariant } from './select-scenarios.js';

/**
 * Returns a warning for each word in braces in the arguments of a custom agent that is almost a placeholder: it would
 * be passed on as it is. Other words in braces may be meant for the agent.
 */
export function placeholderWarnings({ config, configSource }: Project): string[] {
  if (configSource === null) return [];
  return Object.entries(config.agents).flatMap(([name, { args }]) =>
    args.flatMap((arg, index) =>
      [...arg.matchAll(/\{([\w-]+)\}/g)].flatMap(([whole, word = '']) => {
        const near = PLACEHOLDERS.some((known) => known === word) ? null : suggest(word, PLACEHOLDERS);
        if (near === null) return [];
        const message = `'${whole}' is not a placeholder and is passed on as it is; did you mean '{${near}}'?`;
        return [`warning: ${formatProblem(configSource.problemAt(['agents', name, 'args', index], message))}`];
      }),
    ),
  );
}

/**
 * Returns a warning for each variant in which nothing checks what the agent does, and for each part of a file without
 * effect. `noJudge`: judges are not asked.
 */
export function uncheckedWarnings(scenarios: readonly SelectedScenario[], noJudge = false): Problem[] {
  const unchecked = scenarios.flatMap(({ variants, scenario: { baseline } }) =>
    variants.flatMap(({ variant, scenario, problemAt }): Problem[] => {
      const isJudged = !noJudge && scenario.judgment.judge?.enabled === true;
      if (!checksNothing(scenario, isJudged)) return [];
      const where = variant === DEFAULT_VARIANT && baseline !== true ? '' : ` in the variant ${variant}`;
      return [
        problemAt(
          ['checks', 'gates'],
          `nothing is checked${where}: no gates and no judge, so its runs count in no rate, comparison or verdict`,
        ),
      ];
    }),
  );
  const warnings = [...scenarios.flatMap((one) => one.warnings), ...unchecked];
  return [...new Map(warnings.map((one) => [formatProblem(one), one])).values()];
}

/** The facts about a scenario's target that are known before a run. */
interface PlannedTarget {
  /** The scenario's file. */
  file: string;
  binary: string;
  /** Null if it is looked up on PATH or in the workspace. */
  path: string | null;
  /** The declared `target.files`; absent if not declared. */
  files?: readonly string[] | undefined;
}

/** The targets of a sweep's scenarios whose results may be reused. */
const targetsOfSweep = ({ cache, scenarios }: ResolvedSweep): PlannedTarget[] =>
  scenarios
    .filter(({ effective }) => cache && effective.scenario.cost.cache)
    .flatMap(({ selected: { file }, effective: { target, target_path, target_files } }) =>
      target === null ? [] : { file, binary: target.binary, path: target_path, files: target_files },
    );

/** The same for scenarios that are only validated. */
export const targetsOfScenarios = (
  { root, config }: Project,
  scenarios: readonly SelectedScenario[],
): PlannedTarget[] =>
  scenarios.flatMap(({ file, path, variants }) =>
    variants.flatMap(({ scenario, fixture, targetBinary }): PlannedTarget[] => {
      const target = scenario.target === 'from_config' ? config.target : scenario.target;
      if (target == null || !scenario.cost.cache) return [];
      const from = scenario.target === 'from_config' ? root : dirname(path);
      const located =
        targetBinary === null ? locateTarget(target.binary, from, fixture) : locateBuild(targetBinary, dirname(path));
      if (!located.found) return [];
      const files = target.files?.map((one) => resolve(from, one));
      const filesApply = targetBinary === null || files?.length === 0;
      return [{ file, binary: target.binary, path: located.path, ...(filesApply ? { files } : {}) }];
    }),
  );

/** Returns a warning for each scenario whose results cannot be reused because the files of its target are unknown. */
export async function notReusedWarnings(
  { resultsPath }: Pick<Project, 'resultsPath'>,
  targets: readonly PlannedTarget[],
): Promise<Set<string>> {
  const path = process.env['PATH'] ?? '';
  const { state, cache } = plannedHomes();
  const warnings = new Set<string>();
  for (const target of targets) {
    const isInFixture = target.path === null && target.binary.includes('/');
    const found = isInFixture ? null : findExecutable(target.path ?? basename(target.binary), path);
    if (found === null) continue;
    const { unknown } = await programFiles(await realpath(found), {
      declared: target.files ?? null,
      whole: null,
      passOver: [resultsPath, state, cache],
      path,
    });
    if (unknown !== null) warnings.add(`warning: ${target.file}: results are not reused: ${unknown}`);
  }
  return warnings;
}

/**
 * Returns a warning for each MCP server under test whose program is not on PATH, with its place in the file. Like a
 * target, it may be installed before it is needed. A server for which mocks stand wholly is not started. Paths were
 * checked before.
 */
export function serverWarnings(scenarios: readonly SelectedScenario[]): Set<string> {
  const warnings = new Set<string>();
  for (const { variants } of scenarios)
    for (const { scenario, problemAt } of variants)
      for (const [index, { mcp }] of (scenario.subject ?? []).entries()) {
        if (mcp?.command === undefined || mcp.command.includes('/')) continue;
        if (mockedTools(scenario.mocks ?? [], mcp.name) !== null) continue;
        if (findExecutable(mcp.command) !== null) continue;
        const message = `the program '${mcp.command}' was not found on PATH; install it or give its path`;
        warnings.add(`warning: ${formatProblem(problemAt(['subject', index, 'mcp', 'command'], message))}`);
      }
  return warnings;
}

/**
 * Returns a warning for each target, and each of its files, that is not on this machine, with its place in the file. It
 * is not a problem of the file: a target may be built, or installed by the scenario's setup, before it is needed.
 */
export function targetWarnings(project: Project, scenarios: readonly SelectedScenario[]): Set<string> {
  const warnings = new Set<string>();
  for (const { path, variants } of scenarios)
    for (const variant of variants) {
      const warn = (below: Path, message: string): void => {
        const isBelow = variant.targetBinary !== null || variant.scenario.target !== 'from_config';
        const problem = variant.problemAt(isBelow ? ['target', ...below] : ['target'], message);
        warnings.add(`warning: ${formatProblem(problem)}`);
      };
      const message = missingTargetMessage(project, path, variant);
      if (message !== null) warn(['binary'], message);
      const missing = findTargetFiles(project, path, variant, variant.targetBinary !== null)?.missing ?? null;
      if (missing !== null) warn(['files', missing.index], missing.message);
    }
  return warnings;
}

function missingTargetMessage(
  { root, config }: Project,
  path: string,
  { scenario, fixture, targetBinary }: SelectedVariant,
): string | null {
  const fromConfig = scenario.target === 'from_config';
  const target = scenario.target === 'from_config' ? config.target : scenario.target;
  // A container or a cloud sandbox has its own programs.
  if (target == null || apartFrom(scenario.environment) !== null) return null;
  const located =
    targetBinary === null
      ? locateTarget(target.binary, fromConfig ? root : dirname(path), fixture)
      : locateBuild(targetBinary, dirname(path));
  if (!located.found) return located.message;
  const isName = located.path === null && !target.binary.includes('/');
  if (!isName || findExecutable(target.binary) !== null) return null;
  return `target binary '${target.binary}' was not found on PATH; install it or give its path`;
}

/** Warns about scenarios whose character and plugins one of their agents ignores. */
function ignoredRuntimeWarnings({ project, cells, scenarios }: ResolvedSweep): Set<string> {
  const known = knownAgents(project.config.agents);
  const described = new Map(
    scenarios.flatMap(({ selected: { scenario, file } }) =>
      scenario.runtime === undefined ? [] : [[scenario.name, { file, runtime: scenario.runtime }]],
    ),
  );
  return new Set(
    cells.flatMap(({ scenario, agent }) => {
      const found = described.get(scenario);
      return found === undefined || known.get(agent)?.usesRuntime === true || agent === 'none'
        ? []
        : [
            `warning: ${found.file}: character, plugins and setup.database are for the agent eliza; ${agent} does not use them`,
          ];
    }),
  );
}

/** Warns about parts of a sweep that may not be what the user expects. */
export const warningsOf = async (
  sweep: ResolvedSweep,
  selected: readonly SelectedScenario[],
  { judge }: Pick<Draft, 'judge'>,
): Promise<string[]> => [
  ...placeholderWarnings(sweep.project),
  ...[...uncheckedWarnings(selected, !judge), ...exposedCheckWarnings(sweep.project, selected)].map(
    (one) => `warning: ${formatProblem(one)}`,
  ),
  ...ignoredRuntimeWarnings(sweep),
  ...(await notReusedWarnings(sweep.project, targetsOfSweep(sweep))),
];
