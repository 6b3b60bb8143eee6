import { command, pattern } from '#input';
import { parseJson } from '#lib';
import { z } from 'zod';
import { commandFailure, stdoutCut } from '../command-end.js';
import { commonFields, jsonAssertion, jsonPath, substring } from '../fields.js';
import { defineGate, type GateContext, type Verdict } from '../gate.js';
import { compileJsonPath } from '../json/json-path.js';
import { parseAssertion } from '../json/json-assertion.js';
import { containing, matching, type TextMatcher } from '../text-matcher.js';
import { broken, fail, pass, quotedText, tooSlow } from '../verdicts.js';

/** Runs a command and checks that it exits with the expected code in time. */
async function checkExit(
  { command, timeout_secs }: { command: string; timeout_secs: number },
  context: GateContext,
  expectedCode: number,
): Promise<Verdict> {
  const result = await context.exec(command, timeout_secs);
  const failure = commandFailure(result, timeout_secs, expectedCode);
  return failure === null ? pass(`exit ${expectedCode}`) : fail(failure);
}

export const commandSucceeds = defineGate({
  schema: z
    .strictObject({ type: z.literal('command_succeeds'), ...commonFields, command })
    .describe('The command exits with 0'),
  subject: (spec) => spec.command,
  check: (spec, context) => checkExit(spec, context, 0),
});

export const commandExitCodeIs = defineGate({
  schema: z
    .strictObject({
      type: z.literal('command_exit_code_is'),
      ...commonFields,
      command,
      expected_code: z.int().min(0).max(255).default(0).describe('Exit code that the command must end with'),
    })
    .describe('The command exits with `expected_code`'),
  subject: (spec) => spec.command,
  check: (spec, context) => checkExit(spec, context, spec.expected_code),
});

/** Runs a command and judges its raw stdout. The words of `wanted` complete "stdout …" ("contains x"). */
async function checkOutput(
  spec: { command: string; timeout_secs: number },
  context: GateContext,
  wanted: TextMatcher,
): Promise<Verdict> {
  const result = await context.exec(spec.command, spec.timeout_secs);
  const failure = commandFailure(result, spec.timeout_secs);
  if (failure !== null) return fail(failure);
  const found = await wanted.test(result.stdout);
  if (found === null) return tooSlow(spec.timeout_secs);
  if (found) return pass(`stdout ${wanted.does}`);
  const shown = result.stdout === '' ? 'it is empty' : `it begins with ${quotedText(result.stdout)}`;
  const cut = stdoutCut(result);
  return fail(`stdout ${wanted.doesNot}; ${shown}${cut === null ? '' : `; ${cut}`}`);
}

export const commandOutputContains = defineGate({
  schema: z
    .strictObject({
      type: z.literal('command_output_contains'),
      ...commonFields,
      command,
      substring,
    })
    .describe('The command exits with 0 and its stdout contains the text'),
  subject: (spec) => spec.command,
  check: (spec, context) => checkOutput(spec, context, containing(spec.substring)),
});

export const commandOutputMatches = defineGate({
  schema: z
    .strictObject({ type: z.literal('command_output_matches'), ...commonFields, command, pattern })
    .describe('The command exits with 0 and its stdout matches the pattern'),
  subject: (spec) => spec.command,
  check: (spec, context) => matching(spec, context, (wanted) => checkOutput(spec, context, wanted)),
});

export const commandJsonPath = defineGate({
  schema: z
    .strictObject({
      type: z.literal('command_json_path'),
      ...commonFields,
      command,
      path: jsonPath,
      assertion: jsonAssertion,
    })
    .describe(
      'The command exits with 0, its stdout is one JSON value, and the assertion holds for what the path finds in it',
    ),
  subject: (spec) => `${spec.path} of ${spec.command}`,
  check: async (spec, context) => {
    const path = compileJsonPath(spec.path);
    if (!path.ok) return broken(path.message);
    const parsed = parseAssertion(spec.assertion);
    if (!parsed.ok) return broken(parsed.message);

    const result = await context.exec(spec.command, spec.timeout_secs);
    const failure = commandFailure(result, spec.timeout_secs);
    if (failure !== null) return fail(failure);
    const cut = stdoutCut(result);
    if (cut !== null) return fail(`stdout is too long to be read as JSON: ${cut}`);
    if (parseJson(result.stdout) === undefined)
      return fail(`stdout is not one JSON value: ${quotedText(result.stdout)}`);
    const input = { path: spec.path, assertion: spec.assertion, json: result.stdout };
    const applied = await context.work('holds', input, spec.timeout_secs);
    if (applied === null) return tooSlow(spec.timeout_secs);
    return applied.ok ? pass(`${spec.path} ${spec.assertion.trim()}`) : fail(`${spec.path}: ${applied.message}`);
  },
});
