import { readFileSync } from 'node:fs';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { packageFile } from '../../platform/package-info.js';
import { complete } from './complete.js';
import { printJson } from '../shared/output.js';

/** `completion`: a script that asks `complete-words` at every press of the key, so that it knows new verbs by itself. */
export function completion(shell: 'bash' | 'zsh' | 'fish', { json }: { json: boolean }): number {
  const script = readFileSync(packageFile(`templates/completion/${shell}`), 'utf8');
  if (json) printJson({ shell, script });
  else process.stdout.write(script);
  return 0;
}

/** `complete-words`: what the last of these words can become. Never fails: nobody could read the error. */
export async function completeWords(program: CommandUnknownOpts, words: readonly string[]): Promise<number> {
  // Verbs and options are offered without the project, which takes longer to load.
  const asked: { name: string; results: string | undefined }[] = [];
  const first = complete(program, words, (name, results) => {
    asked.push({ name, results });
    return [];
  });
  const { valuesOf } = asked.length > 0 ? await import('./values.js') : { valuesOf: null };
  const lines = valuesOf === null ? first : complete(program, words, valuesOf);
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}
