import { compilePattern } from '../lib/pattern.js';
import type { GateContext, Verdict } from './gate.js';
import { broken, quote } from './verdicts.js';

/** A condition on a text, with words that complete "notes.md …" ("contains x"). */
export interface TextMatcher {
  does: string;
  doesNot: string;
  /** Returns null if the test does not finish in time. */
  test: (text: string) => Promise<boolean | null>;
}

export const containing = (substring: string): TextMatcher => ({
  does: `contains ${quote(substring)}`,
  doesNot: `does not contain ${quote(substring)}`,
  test: (text) => Promise.resolve(text.includes(substring)),
});

/** An `error` verdict for an invalid pattern, which validation should have rejected. Null for a valid pattern. */
export function brokenPattern(pattern: string): Verdict | null {
  const compiled = compilePattern(pattern);
  return compiled.ok ? null : broken(compiled.message);
}

/** Calls `check` with a matcher for an RE2 pattern. */
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
