import { RE2JS } from 're2js';

/** A compiled pattern, or why the text is not one. */
type CompiledPattern =
  | {
      ok: true;
      test: (text: string) => boolean;
      /** Whether it is the whole text that matches. */
      testWhole: (text: string) => boolean;
    }
  | { ok: false; message: string };

const hints: [RegExp, string][] = [
  [/\(\?(=|!|<=|<!)/, 'RE2 has no look-ahead and no look-behind'],
  [/\\[1-9]/, 'RE2 has no back-references'],
];

function explain(pattern: string, error: unknown): string {
  const reason = (error instanceof Error ? error.message : String(error)).replace(
    'error parsing regexp: ',
    '',
  );
  const hint = hints.find(([construct]) => construct.test(pattern))?.[1];
  return `invalid pattern: ${reason}${hint === undefined ? '' : `; ${hint}`}`;
}

/** Compiles an RE2 pattern: unanchored, case-sensitive unless it says otherwise with (?i), (?m) or (?s). */
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
