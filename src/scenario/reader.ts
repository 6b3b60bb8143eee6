import type { Scenario } from './scenario.js';
import type { Loaded, ProblemAt } from './source.js';
import type { Target } from './target.js';

/** A scenario in one of its variants, as if it had been written so. */
export interface ScenarioVariant {
  variant: string;
  scenario: Scenario;
  /** Variables laid over those of the target, which may be in the config. */
  env: Target['env'];
  /** Another build in the target's place, as written; null where the variant names none. */
  targetBinary: string | null;
  /** Makes a problem of a part of `scenario`, at the place in the file that says it for this variant. */
  problemAt: ProblemAt;
}

/** What a file says. Paths of its problems are those of `Scenario`; the reader knows where in the file each part is. */
export interface ReadScenario {
  /** Without its variants. */
  scenario: Scenario;
  /** What is run: at least one. */
  variants: ScenarioVariant[];
}

/** Reads one form of scenario file. It never throws: whatever is wrong is a problem with line and column. */
export type ScenarioReader = (file: string, text: string) => Loaded<ReadScenario>;
