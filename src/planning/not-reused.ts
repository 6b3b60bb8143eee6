import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { plannedHomes } from '../platform/folders.js';
import { findExecutable } from '../platform/process/find-executable.js';
import { programFiles } from '../platform/fs/program-files.js';
import type { Project } from './project.js';
import type { ResolvedSweep } from './resolve-sweep.js';
import { locateBuild, locateTarget } from './locate-target.js';
import type { SelectedScenario } from './select-scenarios.js';

/** What is known about a scenario's target before a run. */
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
export const targetsOfSweep = ({ cache, scenarios }: ResolvedSweep): PlannedTarget[] =>
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
        targetBinary === null
          ? locateTarget(target.binary, from, fixture)
          : locateBuild(targetBinary, dirname(path));
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
    const found = isInFixture ? null : await findExecutable(target.path ?? basename(target.binary), path);
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
