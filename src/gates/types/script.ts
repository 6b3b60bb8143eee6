import { z } from 'zod';
import { command, nonBlank } from '#input';
import { type CommandResult, isJsonObject, isStorable, MAX_DEPTH, parseJson } from '#lib';
import { commandFailure, stdoutCut } from '../command-end.js';
import { commonFields } from '../fields.js';
import { defineGate, type Verdict } from '../gate.js';
import { fail, pass } from '../verdicts.js';

/** The verdict that a script printed. Null if its stdout is anything else. */
function printedVerdict(result: CommandResult, description: string): Verdict | null {
  if (stdoutCut(result) !== null) return null;
  const printed = parseJson(result.stdout.trim());
  if (!isJsonObject(printed)) return null;
  const { passed, message, detail } = printed;
  if (typeof passed !== 'boolean' || (message !== undefined && typeof message !== 'string')) return null;
  return {
    status: passed ? 'pass' : 'fail',
    message: message === undefined || message.trim() === '' ? description : message,
    ...(detail === undefined
      ? {}
      : { detail: isStorable(detail) ? detail : `nested more than ${MAX_DEPTH} deep` }),
  };
}

export const script = defineGate({
  schema: z
    .strictObject({
      type: z.literal('script'),
      ...commonFields,
      command,
      description: nonBlank('a sentence that says what the script checks').describe(
        'What the script checks, in a sentence; used as the message if it prints none',
      ),
    })
    .describe('The script prints `{"passed": true}`, or prints no such object and exits with 0'),
  subject: (spec) => spec.description,
  check: async (spec, context) => {
    const result = await context.exec(spec.command, spec.timeout_secs);
    // a script that was killed may have printed a verdict before it finished its checks
    const printed = result.timedOut ? null : printedVerdict(result, spec.description);
    if (printed !== null) return printed;
    const failure = commandFailure(result, spec.timeout_secs);
    return failure === null ? pass(spec.description) : fail(`${spec.description}: ${failure}`);
  },
});
