import { z } from 'zod';
import { compilePattern } from '../lib/pattern.js';
import { checkTrajectory } from './check-trajectory.js';
import { commonFields, toolName } from './fields.js';
import { defineGate } from './gate.js';
import { broken, countOf, fail, pass, quote } from './verdicts.js';

export const toolCalled = defineGate({
  schema: z
    .strictObject({
      type: z.literal('tool_called'),
      ...commonFields,
      tool: toolName,
      min: z.int().min(1).default(1).describe('How many calls there must be'),
    })
    .describe('The agent called the tool'),
  subject: (spec) => spec.tool,
  check: ({ tool, min }, context) =>
    checkTrajectory(context, ({ structured, tools }) => {
      if (!structured) return broken("the agent's output is text, in which no tool calls are seen");
      const compiled = compilePattern(tool);
      if (!compiled.ok) return broken(compiled.message);
      const found = Object.entries(tools).filter(([name]) => compiled.testWhole(name));
      const calls = found.reduce((sum, [, times]) => sum + times, 0);
      const said = `${calls === 0 ? 'no call' : countOf(calls, 'call')} of ${quote(tool)}`;
      if (calls >= min) return pass(said);
      const called = Object.keys(tools).join(', ');
      return fail(
        `${said}, at least ${min} expected; ${called === '' ? 'no tool was called' : `called were ${quote(called)}`}`,
      );
    }),
});
