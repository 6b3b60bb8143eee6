import { z } from 'zod';
import { compilePattern, LONGEST_TIMER_SECS, parseJudgeName, tooLongArgument, workspacePathProblem } from '#lib';
import { isTooLong, LONGEST_NAME } from '#model';

/** A duration in seconds, fractions allowed. */
export const seconds = z.number().positive().max(LONGEST_TIMER_SECS);

/**
 * Adds a regular expression to the JSON Schema only, so that editors can report some errors early. It must match
 * everything that the real check accepts.
 */
export const inSchema = <S extends z.ZodType>(schema: S, pattern: RegExp): S =>
  schema.meta({ pattern: pattern.source });

/** A required string. Its error message says what was expected. */
export function text(what: string): z.ZodString {
  return z.string({
    error: ({ input }) => {
      if (input === undefined) return `missing: expected ${what}`;
      if (input === null) return `expected ${what}, got nothing`;
      const quotable = typeof input === 'number' || typeof input === 'boolean';
      return `expected ${what}, as text${quotable ? ' (put it in quotes)' : ''}`;
    },
  });
}

export function checkedText(what: string, problemOf: (value: string) => string | null): z.ZodString {
  return text(what).superRefine((value, context) => {
    const message = problemOf(value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
}

export const messageIn = (parsed: { ok: true } | { ok: false; message: string }): string | null =>
  parsed.ok ? null : parsed.message;

/** A string that is not blank, and in which `problemOf` finds no problem. */
export const nonBlank = (what: string, problemOf: (value: string) => string | null = () => null): z.ZodString =>
  inSchema(
    checkedText(what, (value) => (value.trim() === '' ? `blank: expected ${what}` : problemOf(value))),
    /\S/,
  );

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

export const pattern = checkedText('an RE2 pattern', (value) => messageIn(compilePattern(value))).describe(
  'RE2 pattern, unanchored and case-sensitive; (?m) lets ^ and $ match at every line, (?i) ignores case',
);

/** For checks that span several fields: they run even if a field is invalid, so that all problems appear at once. */
export const always = { when: () => true };

/** A name on one line, at most `LONGEST_NAME` bytes long: names become parts of folders, ids and tables. */
export const label = (what: string): z.ZodString =>
  inSchema(
    nonBlank(what).superRefine((name, context) => {
      const kind = /\p{Cc}/u.test(name)
        ? 'of one line, without control characters'
        : isTooLong(name)
          ? `of at most ${LONGEST_NAME} bytes`
          : null;
      if (kind !== null) context.addIssue({ code: 'custom', message: `expected ${what} ${kind}` });
    }),
    /^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$/,
  );

/** The name of a judge. Planning the sweep checks whether its provider or agent is defined. */
export const judgeName = inSchema(
  z.string().superRefine((text, context) => {
    const name = parseJudgeName(text);
    if (!name.ok) context.addIssue({ code: 'custom', message: name.message });
  }),
  /^(agent:[^/\s]+|[\w.-]+)\/\S+$/,
);

/** The path of a file to write into the workspace. */
export const workspaceFile = inSchema(
  workspacePath.refine((path) => !/(^|\/)\.{0,2}$/.test(path), {
    error: 'expected the path of a file, like "notes.md"; this is a folder',
  }),
  /^(?!\/|(\.?\/)*\.\.(\/|$))(?![\s\S]*\/\.{0,2}$)(?!\.{0,2}$)[\s\S]*\S/,
);

/** The checks folder of a scenario, in either form of file. */
export const checksFolder = nonBlank('the path of a folder')
  .exactOptional()
  .describe(
    'Folder of scripts and expected files of checks, not copied into the workspace; relative to the scenario file',
  );

/** Names that any `sh` passes on: dash and busybox drop variables like `FOO.BAR`, and agents are started by `sh`. */
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The name of an environment variable. */
export const variableName = inSchema(
  z.string().refine((name) => VARIABLE.test(name), {
    error: 'expected the name of a variable: letters, digits and "_", as shells drop others',
  }),
  VARIABLE,
);

/** Environment variables. `${VAR}` in their values is replaced later, when a run uses them. */
export const environmentVariables = z
  .record(variableName, z.string())
  .describe('Variables by name; ${NAME} in a value is that variable of the shell, and is kept secret');

/** Names that a scenario gives to the address of its mocked endpoints. */
export const mockUrlVariables = z
  .array(
    z
      .string()
      .regex(VARIABLE, 'expected the name of a variable, like GITHUB_API_URL')
      .refine((name) => !/^(PATH|HOME|TMPDIR|LLM_TOOL_TEST_.*)$/.test(name), {
        error: 'this variable has a meaning of its own; use another name',
      }),
  )
  .default([])
  .describe('Variables that have the address of mocked endpoints, besides LLM_TOOL_TEST_MOCK_URL');

/** Checks that `keyOf` returns a different value for each item of a list. Reports the second of two equal items. */
export const distinct = <T>(
  keyOf: (item: Partial<T>) => unknown,
  what: string,
  at: string[] = [],
): z.core.$ZodCheck<T[]> =>
  z.superRefine<T[]>((items, context) => {
    const seen = new Set<unknown>();
    for (const [index, item] of asList(items).entries()) {
      if (item === null) continue; // an empty item, which the schema reports
      const key = keyOf(item as Partial<T>);
      if (seen.has(key))
        context.addIssue({
          code: 'custom',
          path: [index, ...at],
          message: `${what} '${String(key)}' is used twice; each must be unique`,
        });
      if (key !== undefined) seen.add(key);
    }
  }, always);

/** Checks that a map has exactly one of these keys. */
export const exactlyOne = <T extends object>(keys: readonly (keyof T & string)[]): z.core.$ZodCheck<T> =>
  z.superRefine<T>((value: unknown, context) => {
    // The schema reports a value that is not a map.
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const given = keys.filter((key) => (value as Partial<T>)[key] !== undefined);
    if (given.length !== 1)
      context.addIssue({
        code: 'custom',
        message: `expected exactly one of ${keys.join(', ')}; got ${given.join(' and ') || 'none'}`,
      });
  }, always);

/**
 * Checks every string inside a value. NUL would end a command or path early, half of a surrogate pair is not valid
 * UTF-8, and the value of an environment variable can be too long to pass to a program.
 */
export const cleanText = <T>(): z.core.$ZodCheck<T> =>
  z.superRefine<T>((value, context) => {
    for (const { path, text } of stringsIn(value, [])) {
      const flaw = text.includes('\0')
        ? 'a NUL character'
        : /\p{Surrogate}/u.test(text)
          ? 'half of a surrogate pair'
          : null;
      if (flaw !== null) context.addIssue({ code: 'custom', path, message: `contains ${flaw}; remove it` });
      if (path.at(-2) !== 'env') continue;
      const message = tooLongArgument(text, 'put it into a file, and its path into the variable');
      if (message !== null) context.addIssue({ code: 'custom', path, message });
    }
  }, always);

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function* stringsIn(value: unknown, path: PropertyKey[]): Generator<{ path: PropertyKey[]; text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* stringsIn(item, [...path, index]);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      yield { path: [...path, key], text: key };
      yield* stringsIn(item, [...path, key]);
    }
  }
}
