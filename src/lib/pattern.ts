import { RE2JS } from 're2js';
import { messageOf } from './errors/message-of.js';

/** A compiled pattern, or why the text is not a pattern. */
type CompiledPattern =
  | {
      ok: true;
      test: (text: string) => boolean;
      /** True if the pattern matches the whole text. */
      testWhole: (text: string) => boolean;
    }
  | { ok: false; message: string };

const hints: [RegExp, string][] = [
  [/\(\?(=|!|<=|<!)/, 'RE2 has no look-ahead and no look-behind'],
  [/\\[1-9]/, 'RE2 has no back-references'],
];

function explain(pattern: string, error: unknown): string {
  const reason = messageOf(error).replace('error parsing regexp: ', '');
  const hint = hints.find(([construct]) => construct.test(pattern))?.[1];
  return `invalid pattern: ${reason}${hint === undefined ? '' : `; ${hint}`}`;
}

/**
 * Compiles an RE2 pattern: unanchored, and case-sensitive unless it contains (?i). It may also contain (?m) and (?s).
 */
export function compilePattern(pattern: string): CompiledPattern {
  try {
    const compiled = RE2JS.compile(pattern);
    return {
      ok: true,
      test: (text) => compiled.test(text),
      testWhole: (text) => compiled.matches(text),
    };
  } catch (error) {
    return { ok: false, message: explain(pattern, error) };
  }
}
