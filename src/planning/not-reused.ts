import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { plannedHomes } from '../platform/folders.js';
import { findExecutable } from '../platform/process/find-executable.js';
import { programFiles } from '../platform/fs/program-files.js';
import type { Project } from './project.js';
import type { ResolvedSweep } from './resolve-sweep.js';
import { locateBuild, locateTarget } from './locate-target.js';
import type { SelectedScenario } from './select-scenarios.js';

/** The target of a scenario, as far as it is known before a run. */
interface PlannedTarget {
  /** The scenario's. */
  file: string;
  binary: string;
  /** null where it is looked for on PATH or in the workspace. */
  path: string | null;
  /** What it is declared to consist of; absent where nothing is. */
  files?: readonly string[] | undefined;
}

/** Targets of a sweep whose results may be reused. */
export const targetsOfSweep = ({ cache, scenarios }: ResolvedSweep): PlannedTarget[] =>
  scenarios
    .filter(({ effective }) => cache && effective.scenario.cost.cache)
    .map(({ selected: { file }, effective: { target, target_path, target_files } }) => ({
      file,
      binary: target.binary,
      path: target_path,
      files: target_files,
    }));

/** The same of scenarios that are only looked at. */
export const targetsOfScenarios = (
  { root, config }: Project,
  scenarios: readonly SelectedScenario[],
): PlannedTarget[] =>
  scenarios.flatMap(({ file, path, variants }) =>
    variants.flatMap(({ scenario, fixture, targetBinary }): PlannedTarget[] => {
      const target = scenario.target === 'from_config' ? config.target : scenario.target;
      if (target === undefined || !scenario.cost.cache) return [];
      const from = scenario.target === 'from_config' ? root : dirname(path);
      const located =
        targetBinary === null
          ? locateTarget(target.binary, from, fixture)
          : locateBuild(targetBinary, dirname(path));
      if (!located.found) return [];
      const files = target.files?.map((one) => resolve(from, one));
      const isOf = targetBinary === null || files?.length === 0;
      return [{ file, binary: target.binary, path: located.path, ...(isOf ? { files } : {}) }];
    }),
  );

/** A warning for each scenario whose results cannot be reused, because it is unknown which files its target consists of. */
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
