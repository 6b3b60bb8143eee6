import { z } from 'zod';
import { checkTools, countCalls, judgeCalls } from '../check-tools.js';
import { commonFields, toolName } from '../fields.js';
import { defineGate } from '../gate.js';
import { tooSlow } from '../verdicts.js';
import { brokenPattern } from '../text-matcher.js';

export const toolCalled = defineGate({
  schema: z
    .strictObject({
      type: z.literal('tool_called'),
      ...commonFields,
      tool: toolName,
      min: z.int().min(1).default(1).describe('How many calls there must be'),
    })
    .describe('The agent called the tool at least `min` times'),
  subject: (spec) => spec.tool,
  check: ({ tool, min, timeout_secs }, context) =>
    checkTools(context, async (calls) => {
      const unusable = brokenPattern(tool);
      if (unusable !== null) return unusable;
      const texts = calls.tools.map(([name]) => name);
      const tested = await context.work('matches', { pattern: tool, texts, whole: true }, timeout_secs);
      if (tested === null) return tooSlow(timeout_secs);
      const count = countCalls(calls, (_, index) => tested[index]);
      return judgeCalls(calls, count, tool, min);
    }),
});
