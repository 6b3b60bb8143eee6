import type { Path } from '#input';
import { defined } from '#lib';
import { DEFAULT_VARIANT } from '#model';
import type { Target } from '../target.js';
import type { ScenarioFile } from './schema.js';
import type { Variant } from './variant.js';

/** A file with one of its variants applied to it. */
export interface VariantFile {
  variant: string;
  file: ScenarioFile;
  /** Variables that override those of the target. Kept apart because the target may be in the config. */
  env: Target['env'];
  /** Path or name of another build of the target, as written. */
  targetBinary: string | null;
  /** Maps a path in `file` to the path in the text that sets it. */
  at: (path: Path) => Path;
}

/**
 * Returns the file in each of its variants, or as it is if it has none. A variant's file does not list the variants, so
 * that changing one does not affect the others.
 */
export function applyVariants(file: ScenarioFile): VariantFile[] {
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

const layOver = (file: ScenarioFile, { template_folder, prompt, subject, files }: Variant): ScenarioFile => ({
  ...file,
  ...defined({ subject }),
  template_folder: template_folder ?? file.template_folder,
  task: { ...file.task, prompt: prompt ?? file.task.prompt },
  setup: { ...file.setup, files: { ...file.setup.files, ...files } },
  matrix: { ...file.matrix, variants: [] },
});

function placeOf(path: Path, variant: Variant, place: Path): Path {
  const [first, second, third] = path;
  if (first === 'template_folder' && variant.template_folder !== undefined) return [...place, first];
  if (first === 'subject' && variant.subject !== undefined) return [...place, ...path];
  if (first === 'task' && second === 'prompt' && variant.prompt !== undefined) return [...place, second];
  if (first === 'target' && second === 'binary' && variant.target_binary !== undefined)
    return [...place, 'target_binary'];
  if (first === 'setup' && second === 'files' && Object.hasOwn(variant.files, String(third)))
    return [...place, 'files', String(third)];
  return path;
}
