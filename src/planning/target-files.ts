import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ScenarioVariant } from '../scenario/reader.js';
import type { Project } from './project.js';

/** The files of a target besides its program. */
interface TargetFiles {
  /** Absolute paths. */
  paths: string[];
  /** The first one that does not exist: its index in `target.files`, and what to do. Null if all exist. */
  missing: { index: number; message: string } | null;
}

/**
 * Finds `target.files` of a scenario, or of the config. They are ignored (null) for another build (`--target-binary`, or
 * a variant's), which may have other files, unless the list is empty: the other build then has no further files either.
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
