import { pattern, workspacePath } from '#input';
import { assertNever, formatBytes } from '#lib';
import { z } from 'zod';
import { checksPath, commonFields, substring } from '../fields.js';
import { defineGate, type FileStat, fileText, type GateContext, type Verdict } from '../gate.js';
import { containing, matching, type TextMatcher } from '../text-matcher.js';
import { broken, fail, pass, quotedText, tooSlow } from '../verdicts.js';

/** Returns why there is no file or directory to check. Null if there is one. */
function statProblem(path: string, look: FileStat): string | null {
  switch (look.kind) {
    case 'file':
    case 'directory':
      return null;
    case 'missing':
      return `${path} does not exist`;
    case 'outside':
      return `${path} leaves the workspace through a symlink`;
    case 'unreadable':
      return `${path} cannot be read: ${look.reason}`;
    default:
      return assertNever(look);
  }
}

/** In bytes. Larger files may not fit into a string or into memory, and an agent must not crash the worker. */
const MAX_TEXT = 256 * 1024 * 1024;

/** Judges the text of a file. The words of `wanted` complete "notes.md …" ("contains x"). */
async function checkFileText(
  { path, timeout_secs }: { path: string; timeout_secs: number },
  context: GateContext,
  wanted: TextMatcher,
): Promise<Verdict> {
  const look = await context.look(path);
  if (look.kind !== 'file') return fail(statProblem(path, look) ?? `${path} is a directory, not a file`);
  if (look.bytes > MAX_TEXT)
    return fail(`${path} is too large to read: ${formatBytes(look.bytes)}, more than ${formatBytes(MAX_TEXT)}`);
  const text = await look.text();
  if (text === null) return fail(`${path} is not UTF-8 text`);
  const found = await wanted.test(text);
  if (found === null) return tooSlow(timeout_secs);
  return found ? pass(`${path} ${wanted.does}`) : fail(`${path} ${wanted.doesNot}`);
}

export const fileExists = defineGate({
  schema: z
    .strictObject({ type: z.literal('file_exists'), ...commonFields, path: workspacePath })
    .describe('A file or folder exists at the path'),
  subject: (spec) => spec.path,
  check: async (spec, context) => {
    const problem = statProblem(spec.path, await context.look(spec.path));
    return problem === null ? pass(`${spec.path} exists`) : fail(problem);
  },
});

export const fileContains = defineGate({
  schema: z
    .strictObject({
      type: z.literal('file_contains'),
      ...commonFields,
      path: workspacePath,
      substring,
    })
    .describe('The UTF-8 file contains the text'),
  subject: (spec) => spec.path,
  check: (spec, context) => checkFileText(spec, context, containing(spec.substring)),
});

export const fileMatches = defineGate({
  schema: z
    .strictObject({ type: z.literal('file_matches'), ...commonFields, path: workspacePath, pattern })
    .describe('The UTF-8 file matches the pattern'),
  subject: (spec) => spec.path,
  check: (spec, context) => matching(spec, context, (wanted) => checkFileText(spec, context, wanted)),
});

const CHUNK = 64 * 1024;

/** Index of the first character in which two different texts differ. */
function firstDifference(one: string, other: string): number {
  let at = 0;
  while (one.slice(at, at + CHUNK) === other.slice(at, at + CHUNK)) at += CHUNK;
  while (one[at] === other[at]) at += 1;
  return at;
}

/** Describes the first line in which two different texts differ. */
export function describeDifference(found: string, expected: string): string {
  const at = firstDifference(found, expected);
  const before = found.slice(0, at);
  const start = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  const lineOf = (text: string): string => {
    const [first = ''] = text.slice(start, start + CHUNK).split('\n');
    return text.length <= start ? 'the end of the file' : quotedText(first);
  };
  const [wanted, got] = [lineOf(expected), lineOf(found)];
  return wanted === got
    ? `line ${line} differs in length or at its end`
    : `line ${line}: expected ${wanted}, got ${got}`;
}

export const fileEquals = defineGate({
  schema: z
    .strictObject({
      type: z.literal('file_equals'),
      ...commonFields,
      path: workspacePath,
      expected: checksPath,
    })
    .describe('The UTF-8 file has exactly the content of a file in the checks folder'),
  subject: (spec) => spec.path,
  check: async (spec, context) => {
    const look = await context.expected(spec.expected);
    const expected = await fileText(look);
    if (expected === null) {
      const reason = statProblem(spec.expected, look) ?? `${spec.expected} is not a UTF-8 text file`;
      return broken(`checks folder: ${reason}`);
    }
    const wanted = {
      does: `equals ${spec.expected}`,
      doesNot: `differs from ${spec.expected}`,
      test: (text: string) => {
        if (text === expected) return Promise.resolve(true);
        wanted.doesNot += `: ${describeDifference(text, expected)}`;
        return Promise.resolve(false);
      },
    };
    return checkFileText(spec, context, wanted);
  },
});
