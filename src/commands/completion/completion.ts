import { readFileSync } from 'node:fs';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { packageFile } from '#host';
import { complete } from './complete.js';
import { printJson } from '../shared/output.js';

/** `completion`: prints a script that calls `complete-words` on every Tab, so that it never goes out of date. */
export function completion(shell: 'bash' | 'zsh' | 'fish', { json }: { json: boolean }): number {
  const script = readFileSync(packageFile(`dist/templates/completion/${shell}`), 'utf8');
  if (json) printJson({ shell, script });
  else process.stdout.write(script);
  return 0;
}

/** `complete-words`: prints completions of the last word. Never fails, because nobody could read the error. */
export async function completeWords(program: CommandUnknownOpts, words: readonly string[]): Promise<number> {
  // completes verbs and options without loading the project, which takes longer
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
