import { z } from 'zod';
import { workspacePath } from '#input';
import { checksPath, commonFields } from '../fields.js';
import { defineGate, fileText } from '../gate.js';
import { broken, quote } from '../verdicts.js';
import { checkFileText, statProblem } from '../workspace-file.js';

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
    return text.length <= start ? 'the end of the file' : quote(first);
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
