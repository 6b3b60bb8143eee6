import { z } from 'zod';
import { command } from '#input';
import { parseJson } from '#lib';
import { commandFailure, stdoutCut } from '../command-end.js';
import { commonFields, jsonAssertion, jsonPath } from '../fields.js';
import { defineGate } from '../gate.js';
import { parseAssertion } from '../json/json-assertion.js';
import { compileJsonPath } from '../json/compile-json-path.js';
import { broken, fail, pass, quote, tooSlow } from '../verdicts.js';

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
      return fail(`stdout is not one JSON value: ${quote(result.stdout)}`);
    const input = { path: spec.path, assertion: spec.assertion, json: result.stdout };
    const applied = await context.work('holds', input, spec.timeout_secs);
    if (applied === null) return tooSlow(spec.timeout_secs);
    return applied.ok
      ? pass(`${spec.path} ${spec.assertion.trim()}`)
      : fail(`${spec.path}: ${applied.message}`);
  },
});
