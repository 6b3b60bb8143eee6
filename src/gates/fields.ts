import { z } from 'zod';
import { tooLongArgument } from '../lib/commands/longest-argument.js';
import { LONGEST_TIMER_SECS } from '../lib/longest-timer.js';
import { compilePattern } from '../lib/pattern.js';
import { workspacePathProblem } from '../lib/workspace-path.js';
import { parseAssertion } from './json/json-assertion.js';
import { compileJsonPath } from './json/compile-json-path.js';

/** A duration in seconds, fractions allowed. */
export const seconds = z.number().positive().max(LONGEST_TIMER_SECS);

/**
 * Adds a regular expression to the JSON Schema only, so that editors can report some errors early. It must match
 * everything that the real check accepts.
 */
export const inSchema = <S extends z.ZodType>(schema: S, pattern: RegExp): S =>
  schema.meta({ pattern: pattern.source });

/** The fields that every gate has besides its type. */
export const commonFields = {
  name: z.string().optional().describe('Shown in reports, beside the type'),
  timeout_secs: seconds.default(30).describe('Time limit in seconds; the gate fails if it is exceeded'),
};

/** A required string. Its error message says what was expected. */
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

/** A string that is not blank, and in which `problemOf` finds no problem. */
export const nonBlank = (
  what: string,
  problemOf: (value: string) => string | null = () => null,
): z.ZodString =>
  inSchema(
    checkedText(what, (value) => (value.trim() === '' ? `blank: expected ${what}` : problemOf(value))),
    /\S/,
  );

/** The text to look for. It must not be empty, because every text contains the empty text. */
export const substring = text('the text to look for')
  .min(1, 'empty: expected the text to look for')
  .describe('Text to look for: exactly as written, case-sensitive');

export const command = nonBlank('a shell command to run', (value) =>
  tooLongArgument(value, 'put it into a file, and run that'),
).describe('Shell command, run by `sh -c` in the workspace with the target on PATH');

/** A path that, as written, does not leave the workspace. */
export const workspacePath = inSchema(
  checkedText('a path relative to the workspace', workspacePathProblem).describe(
    'Path relative to the workspace; it cannot leave it',
  ),
  /^(?!\/|(\.?\/)*\.\.(\/|$))[\s\S]*\S/,
);

/** The path of a file in the checks folder. */
export const checksPath = inSchema(
  checkedText('the path of a file in the checks folder', (value) =>
    value.trim() === '' || workspacePathProblem(value) !== null
      ? 'expected the path of a file in the checks folder, like "expected.csv"'
      : null,
  ).describe('File in the checks folder of the scenario'),
  /^(?!\/|(\.?\/)*\.\.(\/|$))[\s\S]*\S/,
);

export const pattern = checkedText('an RE2 pattern', (value) => problemIn(compilePattern(value))).describe(
  'RE2 pattern, unanchored and case-sensitive; (?m) lets ^ and $ match at every line, (?i) ignores case',
);

export const toolName = inSchema(
  checkedText('the name of a tool', (value) =>
    value.trim() === '' ? 'blank: expected the name of a tool' : problemIn(compilePattern(value)),
  ).describe('Name of the tool, as the agent calls it, or an RE2 pattern for the whole name'),
  /\S/,
);

/** The server of a gate about MCP. */
export const mcpServer = nonBlank('the name of an MCP server')
  .optional()
  .describe('Name of the server in the subject; all servers if omitted');

/** The skill of a gate on use. */
export const skillName = nonBlank('the name of a skill')
  .optional()
  .describe('Name of a skill of the subject; without it, any of them');

/** A number of times that something may happen. */
export const count = z.int().min(0);

export const jsonPath = inSchema(
  checkedText('a JSON path like $.items[0].name', (value) => problemIn(compileJsonPath(value))).describe(
    'JSON path (RFC 9535), like $.items[0].name; $ is the whole value',
  ),
  /^\$/,
);

export const jsonAssertion = inSchema(
  checkedText('an assertion like "exists" or "equals 3"', (value) =>
    problemIn(parseAssertion(value)),
  ).describe('exists | equals V | contains S | matches RE | len OP N | OP N, where OP is == != > >= < <='),
  /^\s*(exists|(equals|contains|matches)\s+\S[\s\S]*|len\s*([=!<>]=|[<>])\s*\d+|([=!<>]=|[<>])\s*-?\d+(\.\d+)?([eE][+-]?\d+)?)\s*$/,
);
