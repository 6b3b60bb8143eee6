import { callScript, NO_DENO, scriptFields } from '#agent-scripts';
import { command, nonBlank } from '#input';
import { type CommandResult, isJsonObject, isStorable, MAX_DEPTH, parseJson } from '#lib';
import { z } from 'zod';
import { commandFailure, stdoutCut } from '../command-end.js';
import { commonFields, jsonAssertion, jsonPath } from '../fields.js';
import { defineGate, fileText, type Verdict } from '../gate.js';
import { compileJsonPath } from '../json/json-path.js';
import { parseAssertion } from '../json/json-assertion.js';
import { broken, fail, pass, tooSlow } from '../verdicts.js';

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
    ...(detail === undefined ? {} : { detail: isStorable(detail) ? detail : `nested more than ${MAX_DEPTH} deep` }),
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
    // A script that was killed may have printed a verdict before it finished its checks.
    const printed = result.timedOut ? null : printedVerdict(result, spec.description);
    if (printed !== null) return printed;
    const failure = commandFailure(result, spec.timeout_secs);
    return failure === null ? pass(spec.description) : fail(`${spec.description}: ${failure}`);
  },
});

export const agentScript = defineGate({
  schema: z
    .strictObject({
      type: z.literal('agent_script'),
      ...commonFields,
      ...scriptFields,
      path: jsonPath.default('$').describe("JSON path (RFC 9535) in the answer's `data`, for the assertion"),
      assertion: jsonAssertion.optional(),
    })
    .describe(
      'An agent script answers with success, and the assertion, if any, holds for what the path finds in its data',
    ),
  subject: (spec) => [spec.script, ...spec.args].join(' '),
  check: async (spec, context) => {
    const path = compileJsonPath(spec.path);
    if (!path.ok) return broken(path.message);
    const parsed = spec.assertion === undefined ? null : parseAssertion(spec.assertion);
    if (parsed?.ok === false) return broken(parsed.message);

    const called = await callScript(spec, spec.timeout_secs, {
      read: async (file) => fileText(await context.look(file)),
      readInChecks: async (file) => fileText(await context.expected(file)),
      exec: (command) => context.exec(command, spec.timeout_secs),
    });
    if (called.kind === 'no_deno') return broken(NO_DENO);
    if (called.kind === 'broken') return fail(called.problem);
    const { answer } = called;
    if (!answer.success) return { ...fail(`${answer.code}: ${answer.error}`), detail: answer };
    if (parsed === null) return { ...pass(`${spec.script} succeeded`), detail: answer };
    const input = { path: spec.path, assertion: spec.assertion ?? '', json: JSON.stringify(answer.data) };
    const applied = await context.work('holds', input, spec.timeout_secs);
    if (applied === null) return tooSlow(spec.timeout_secs);
    return {
      ...(applied.ok ? pass(`${spec.path} ${spec.assertion?.trim() ?? ''}`) : fail(`${spec.path}: ${applied.message}`)),
      detail: answer,
    };
  },
});
