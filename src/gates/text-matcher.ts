import { compilePattern } from '../lib/pattern.js';
import type { GateContext, Verdict } from './gate.js';
import { broken, quote } from './verdicts.js';

/** What is wanted of a text, with words that complete "notes.md …" ("contains x"). */
export interface TextMatcher {
  does: string;
  doesNot: string;
  /** null where it could not be found out in time. */
  test: (text: string) => Promise<boolean | null>;
}

export const containing = (substring: string): TextMatcher => ({
  does: `contains ${quote(substring)}`,
  doesNot: `does not contain ${quote(substring)}`,
  test: (text) => Promise.resolve(text.includes(substring)),
});

/** A pattern that is none, which validation has refused, breaks the check; null for any other. */
export function brokenPattern(pattern: string): Verdict | null {
  const compiled = compilePattern(pattern);
  return compiled.ok ? null : broken(compiled.message);
}

/** Checks for a match of an RE2 pattern. */
export async function matching(
  { pattern, timeout_secs }: { pattern: string; timeout_secs: number },
  { work }: GateContext,
  check: (wanted: TextMatcher) => Promise<Verdict>,
): Promise<Verdict> {
  return (
    brokenPattern(pattern) ??
    check({
      does: `matches ${quote(pattern)}`,
      doesNot: `does not match ${quote(pattern)}`,
      test: async (text) =>
        (await work('matches', { pattern, texts: [text], whole: false }, timeout_secs))?.[0] ?? null,
    })
  );
}
