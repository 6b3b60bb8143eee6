import { DEFAULT_VARIANT } from '../results/cell-label.js';
import type { Scenario } from './schema.js';
import type { Path } from './source.js';
import type { Target } from './target.js';
import type { Variant } from './variant.js';

/** A scenario with one of its variants laid over it, as if it had been written so. */
export interface VariedScenario {
  variant: string;
  scenario: Scenario;
  /** Variables laid over those of the target, which may be in the config. */
  env: Target['env'];
  /** As written. */
  targetBinary: string | null;
  /** Where in the file that stands which is at a path of `scenario`, or of a `Variant`. */
  at: (path: Path) => Path;
}

/** A scenario in each of its variants; of the other variants nothing is left in it, so that they may change. */
export function vary(scenario: Scenario): VariedScenario[] {
  const { variants } = scenario.matrix;
  if (variants.length === 0) {
    return [{ variant: DEFAULT_VARIANT, scenario, env: {}, targetBinary: null, at: (path) => path }];
  }
  return variants.map((variant, index) => ({
    variant: variant.name,
    scenario: layOver(scenario, variant),
    env: variant.env,
    targetBinary: variant.target_binary ?? null,
    at: (path) => placeOf(path, variant, ['matrix', 'variants', index]),
  }));
}

const layOver = (scenario: Scenario, { template_folder, prompt, files }: Variant): Scenario => ({
  ...scenario,
  template_folder: template_folder ?? scenario.template_folder,
  task: { ...scenario.task, prompt: prompt ?? scenario.task.prompt },
  setup: { ...scenario.setup, files: { ...scenario.setup.files, ...files } },
  matrix: { ...scenario.matrix, variants: [] },
});

function placeOf(path: Path, variant: Variant, place: Path): Path {
  const [first, second, third] = path;
  if (first === 'template_folder' && variant.template_folder !== undefined) return [...place, first];
  if (first === 'target_binary') return [...place, first];
  if (first === 'setup' && second === 'files' && Object.hasOwn(variant.files, String(third)))
    return [...place, 'files', String(third)];
  return path;
}
