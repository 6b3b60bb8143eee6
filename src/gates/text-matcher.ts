import { compilePattern } from '#lib';
import type { GateContext, Verdict } from './gate.js';
import { broken, quotedText } from './verdicts.js';

/** A condition on a text, with words that complete "notes.md …" ("contains x"). */
export interface TextMatcher {
  does: string;
  doesNot: string;
  /** Returns null if the test does not finish in time. */
  test: (text: string) => Promise<boolean | null>;
}

/**
 * A text in which letters that differ only in case are the same. Lower case alone would not do: the lower case of a
 * Greek sigma depends on what follows it, so a part of a text could differ from the same part alone.
 */
export const foldCase = (text: string): string => text.toLowerCase().toUpperCase();

const noteOf = (ignoreCase: boolean): string => (ignoreCase ? ', ignoring case' : '');

export function containing(substring: string, { ignoreCase = false } = {}): TextMatcher {
  const folded = (text: string): string => (ignoreCase ? foldCase(text) : text);
  const wanted = folded(substring);
  return {
    does: `contains ${quotedText(substring)}${noteOf(ignoreCase)}`,
    doesNot: `does not contain ${quotedText(substring)}${noteOf(ignoreCase)}`,
    test: (text) => Promise.resolve(folded(text).includes(wanted)),
  };
}

/** An `error` verdict for an invalid pattern, which validation should have rejected. Null for a valid pattern. */
export function brokenPattern(pattern: string): Verdict | null {
  const compiled = compilePattern(pattern);
  return compiled.ok ? null : broken(compiled.message);
}

/** Calls `check` with a matcher for an RE2 pattern. */
export async function matching(
  {
    pattern: written,
    timeout_secs,
    ignoreCase = false,
  }: { pattern: string; timeout_secs: number; ignoreCase?: boolean },
  { work }: GateContext,
  check: (wanted: TextMatcher) => Promise<Verdict>,
): Promise<Verdict> {
  const pattern = ignoreCase ? `(?i)${written}` : written;
  return (
    brokenPattern(pattern) ??
    check({
      does: `matches ${quotedText(written)}${noteOf(ignoreCase)}`,
      doesNot: `does not match ${quotedText(written)}${noteOf(ignoreCase)}`,
      test: async (text) =>
        (await work('matches', { pattern, texts: [text], whole: false }, timeout_secs))?.[0] ?? null,
    })
  );
}
