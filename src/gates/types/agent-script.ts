import { z } from 'zod';
import { callScript, NO_DENO, scriptFields } from '#agent-scripts';
import { commonFields, jsonAssertion, jsonPath } from '../fields.js';
import { defineGate, fileText } from '../gate.js';
import { parseAssertion } from '../json/json-assertion.js';
import { compileJsonPath } from '../json/compile-json-path.js';
import { broken, fail, pass, tooSlow } from '../verdicts.js';

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
      ...(applied.ok
        ? pass(`${spec.path} ${spec.assertion?.trim() ?? ''}`)
        : fail(`${spec.path}: ${applied.message}`)),
      detail: answer,
    };
  },
});
