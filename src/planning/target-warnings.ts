import { dirname } from 'node:path';
import { formatProblem } from '../lib/errors/problem.js';
import { findExecutable } from '../platform/process/find-executable.js';
import type { Path } from '../scenario/problems/source.js';
import { isApart } from '../scenario/scenario.js';
import { locateBuild, locateTarget } from './locate-target.js';
import { findTargetFiles } from './target-files.js';
import type { Project } from './project.js';
import type { SelectedScenario, SelectedVariant } from './select-scenarios.js';

/**
 * Returns a warning for each target, and each of its files, that is not on this machine, with its place in the file. It is
 * not a problem of the file: a target may be built, or installed by the scenario's setup, before it is needed.
 */
export async function targetWarnings(
  project: Project,
  scenarios: readonly SelectedScenario[],
): Promise<Set<string>> {
  const warnings = new Set<string>();
  for (const { path, variants } of scenarios)
    for (const variant of variants) {
      const warn = (below: Path, message: string): void => {
        const isBelow = variant.targetBinary !== null || variant.scenario.target !== 'from_config';
        const problem = variant.problemAt(isBelow ? ['target', ...below] : ['target'], message);
        warnings.add(`warning: ${formatProblem(problem)}`);
      };
      const message = await whyMissing(project, path, variant);
      if (message !== null) warn(['binary'], message);
      const missing = findTargetFiles(project, path, variant, variant.targetBinary !== null)?.missing ?? null;
      if (missing !== null) warn(['files', missing.index], missing.message);
    }
  return warnings;
}

async function whyMissing(
  { root, config }: Project,
  path: string,
  { scenario, fixture, targetBinary }: SelectedVariant,
): Promise<string | null> {
  const fromConfig = scenario.target === 'from_config';
  const target = scenario.target === 'from_config' ? config.target : scenario.target;
  // A container or a cloud sandbox has its own programs.
  if (target == null || isApart(scenario.environment)) return null;
  const located =
    targetBinary === null
      ? locateTarget(target.binary, fromConfig ? root : dirname(path), fixture)
      : locateBuild(targetBinary, dirname(path));
  if (!located.found) return located.message;
  const isName = located.path === null && !target.binary.includes('/');
  if (!isName || (await findExecutable(target.binary)) !== null) return null;
  return `target binary '${target.binary}' was not found on PATH; install it or give its path`;
}
