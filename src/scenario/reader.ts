import type { Loaded, ProblemAt } from '#input';
import type { Json, Problem } from '#lib';
import type { Scenario } from './scenario.js';
import type { Target } from './target.js';

/** One variant of a scenario, with the variant's changes applied. */
export interface ScenarioVariant {
  variant: string;
  scenario: Scenario;
  /** Variables that override those of the target. Kept apart because the target may be in the config. */
  env: Target['env'];
  /** Path or name of another build of the target, as written. Null if the variant does not name one. */
  targetBinary: string | null;
  /** The values of the parameters of a matrix that make this variant. Absent if there is no matrix. */
  parameters?: Record<string, Json>;
  /** Reports a problem with a part of `scenario`, at the place in the file that sets it for this variant. */
  problemAt: ProblemAt;
}

/**
 * The content of a scenario file. Problems are given paths into `Scenario`; the reader translates them to positions in
 * the file.
 */
export interface ReadScenario {
  /** The scenario without the changes of any variant. */
  scenario: Scenario;
  /** The variants to run; at least one. */
  variants: ScenarioVariant[];
  /** Parts of the file that have no effect. Absent if there are none. */
  warnings?: Problem[];
}

/** Looks at a path beside a scenario file; null if nothing is there. `text`: null if it is not UTF-8. */
export type LookBeside = (
  path: string,
) => { kind: 'file'; text: string | null } | { kind: 'folder'; names: string[] } | null;

/** Parses one format of scenario files. Never throws: every error is a problem with line and column. */
export type ScenarioReader = (file: string, text: string, look?: LookBeside) => Loaded<ReadScenario>;
