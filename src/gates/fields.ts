import { z } from 'zod';
import { compilePattern } from '../lib/pattern.js';
import { workspacePathProblem } from '../lib/workspace-path.js';
import { parseAssertion } from './json-assertion.js';
import { compileJsonPath } from './json-path.js';

/** The longest timer that Node can hold, 2^31 - 1 ms; a longer one would fire at once. */
const MAX_SECS = 2_147_483;

/** A duration in seconds, fractions allowed. */
export const seconds = z.number().positive().max(MAX_SECS);

/** What every gate has besides its type. */
export const commonFields = {
  name: z.string().optional(),
  timeout_secs: seconds.default(30),
};

/** A required text whose error says what was expected. */
function text(what: string): z.ZodString {
  return z.string({
    error: ({ input }) => {
      if (input === undefined) return `missing: expected ${what}`;
      if (input === null) return `expected ${what}, got nothing`;
      const quotable = typeof input === 'number' || typeof input === 'boolean';
      return `expected ${what}, as text${quotable ? ' (put it in quotes)' : ''}`;
    },
  });
}

function checkedText(what: string, problemOf: (value: string) => string | null): z.ZodString {
  return text(what).superRefine((value, context) => {
    const message = problemOf(value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
}

const problemIn = (parsed: { ok: true } | { ok: false; message: string }): string | null =>
  parsed.ok ? null : parsed.message;

/** A text that is more than blanks. */
export const nonBlank = (what: string): z.ZodString =>
  checkedText(what, (value) => (value.trim() === '' ? `blank: expected ${what}` : null));

/** What to look for; the empty text is in every text, and would check nothing. */
export const substring = text('the text to look for').min(1, 'empty: expected the text to look for');

export const command = nonBlank('a shell command to run');

/** A path that stays in the workspace as written. */
export const workspacePath = checkedText('a path relative to the workspace', workspacePathProblem);

export const pattern = checkedText('an RE2 pattern', (value) => problemIn(compilePattern(value)));

export const jsonPath = checkedText('a JSON path like $.items[0].name', (value) =>
  problemIn(compileJsonPath(value)),
);

export const jsonAssertion = checkedText('an assertion like "exists" or "equals 3"', (value) =>
  problemIn(parseAssertion(value)),
);
