import { appendFileSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NewFile } from './new-files.js';
import { printNotice } from './output.js';

const FILE = '.gitignore';
const COMMENT = '# Reports, transcripts and metrics of llm-tool-test.';
const LINE = 'llm-tool-test-results/';

/** Returns what a .gitignore lacks so that git ignores the results folder; empty if it has it, in any form. */
function missingIgnores(text: string): string {
  const isIgnored = text
    .split(/\r?\n/)
    .some((line) => /^(\*\*\/|\/)?llm-tool-test-results(\/|\/\*\*?)?\s*$/.test(line));
  if (isIgnored) return '';
  const before = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return `${before}${COMMENT}\n${LINE}\n`;
}

/** The new .gitignore; none if there is one already. */
export const newIgnoreFile = (folder: string): NewFile[] =>
  lstatSync(join(folder, FILE), { throwIfNoEntry: false }) === undefined
    ? [{ path: FILE, content: missingIgnores(''), mode: 0o644 }]
    : [];

/**
 * Adds what an existing .gitignore lacks. Returns the path of the file if it was changed. A failure is only reported.
 */
export function extendIgnoreFile(folder: string): string[] {
  try {
    const missing = missingIgnores(readFileSync(join(folder, FILE), 'utf8'));
    if (missing === '') return [];
    appendFileSync(join(folder, FILE), missing);
    return [FILE];
  } catch (error) {
    printNotice(`warning: ${FILE} could not be changed; add the line ${LINE} to it: ${(error as Error).message}`);
    return [];
  }
}
