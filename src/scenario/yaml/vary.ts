import { DEFAULT_VARIANT } from '../../results/records/cell-label.js';
import type { Path } from '../source.js';
import type { Target } from '../target.js';
import type { ScenarioFile } from './schema.js';
import type { Variant } from './variant.js';

/** A file with one of its variants laid over it, as if it had been written so. */
export interface VariedFile {
  variant: string;
  file: ScenarioFile;
  /** Variables laid over those of the target, which may be in the config. */
  env: Target['env'];
  /** As written. */
  targetBinary: string | null;
  /** Where in the text that stands which is at a path of `file`. */
  at: (path: Path) => Path;
}

/** A file in each of its variants; of the other variants nothing is left in it, so that they may change. */
export function vary(file: ScenarioFile): VariedFile[] {
  const { variants } = file.matrix;
  if (variants.length === 0) {
    return [{ variant: DEFAULT_VARIANT, file, env: {}, targetBinary: null, at: (path) => path }];
  }
  return variants.map((variant, index) => ({
    variant: variant.name,
    file: layOver(file, variant),
    env: variant.env,
    targetBinary: variant.target_binary ?? null,
    at: (path) => placeOf(path, variant, ['matrix', 'variants', index]),
  }));
}

const layOver = (file: ScenarioFile, { template_folder, prompt, files }: Variant): ScenarioFile => ({
  ...file,
  template_folder: template_folder ?? file.template_folder,
  task: { ...file.task, prompt: prompt ?? file.task.prompt },
  setup: { ...file.setup, files: { ...file.setup.files, ...files } },
  matrix: { ...file.matrix, variants: [] },
});

function placeOf(path: Path, variant: Variant, place: Path): Path {
  const [first, second, third] = path;
  if (first === 'template_folder' && variant.template_folder !== undefined) return [...place, first];
  if (first === 'task' && second === 'prompt' && variant.prompt !== undefined) return [...place, second];
  if (first === 'target' && second === 'binary' && variant.target_binary !== undefined)
    return [...place, 'target_binary'];
  if (first === 'setup' && second === 'files' && Object.hasOwn(variant.files, String(third)))
    return [...place, 'files', String(third)];
  return path;
}
