import { basename, dirname, join, relative, resolve } from 'node:path';
import { displayPath } from '#host';
import { formatProblem, UsageError } from '#lib';
import { isFile, loadText, openProject, readText } from '#planning';
import { readPromptfoo } from '#scenario';
import { writeNewFiles } from './shared/new-files.js';
import { printJson, printNotice } from './shared/output.js';
import { printWritten } from './shared/written.js';

/** True for a YAML file, or one that has the name of a config of promptfoo. */
export const isPromptfoo = (path: string): boolean =>
  /\.ya?ml$/i.test(path) || /^promptfooconfig\b.*\.json$/.test(basename(path));

/**
 * Writes a scenario for each test of a config of promptfoo, and the program that checks what is no gate. Lists what is
 * not taken. Writes all files or none.
 *
 * @throws UsageError if nothing can be taken, or if files exist
 */
export function importPromptfoo(
  path: string,
  { skill, out, force, json }: { skill?: string; out?: string; force: boolean; json: boolean },
): number {
  if (skill !== undefined)
    throw new UsageError('usage', '--skill is for lists of prompts, not for a config of promptfoo');
  const file = displayPath(resolve(path));
  const loaded = loadText(path);
  if (!loaded.ok) throw new UsageError('usage', `${file} cannot be read: ${loaded.reason}`);
  const folder = dirname(resolve(path));
  const read = (beside: string): string | null => {
    const found = resolve(folder, beside);
    return relative(folder, found).startsWith('..') || !isFile(found) ? null : readText(found);
  };
  const imported = readPromptfoo(file, loaded.text, read);
  if (!imported.ok)
    throw new UsageError(
      'scenario_invalid',
      `nothing in ${file} can be imported; nothing was written`,
      imported.problems,
      new Map([[file, loaded.text]]),
    );
  const target = resolve(out ?? openProject().fixturesPath);
  const { scenarios, files, leftOut } = imported.value;
  writeNewFiles(
    target,
    Object.entries(files).map(([name, content]) => ({ path: name, content, mode: 0o644 })),
    force,
  );
  for (const problem of leftOut) printNotice(formatProblem(problem));
  const paths = scenarios.map((name) => displayPath(join(target, `${name}.yaml`)));
  if (json) printJson({ scenarios: paths, left_out: leftOut });
  else printWritten(paths);
  return 0;
}
