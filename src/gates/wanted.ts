import { compilePattern } from '../lib/pattern.js';
import type { Verdict } from './gate.js';
import { broken, quote } from './verdicts.js';

/** What is wanted of a text, with words that complete "notes.md …" ("contains x"). */
export interface Wanted {
  does: string;
  doesNot: string;
  test: (text: string) => boolean;
}

export const containing = (substring: string): Wanted => ({
  does: `contains ${quote(substring)}`,
  doesNot: `does not contain ${quote(substring)}`,
  test: (text) => text.includes(substring),
});

/** Checks for a match of an RE2 pattern; one that is none, which validation has refused, breaks the check. */
export async function matching(
  pattern: string,
  check: (wanted: Wanted) => Promise<Verdict>,
): Promise<Verdict> {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) return broken(compiled.message);
  return check({
    does: `matches ${quote(pattern)}`,
    doesNot: `does not match ${quote(pattern)}`,
    test: compiled.test,
  });
}
