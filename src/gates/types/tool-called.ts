import { z } from 'zod';
import { checkTrajectory, UNREAD } from '../check-trajectory.js';
import { commonFields, toolName } from '../fields.js';
import { defineGate } from '../gate.js';
import { broken, countOf, fail, pass, quote, tooSlow } from '../verdicts.js';
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
    checkTrajectory(context, async ({ structured, tools, unread }) => {
      if (!structured)
        return broken('the agent printed only text, no structured events, so its tool calls are unknown');
      const unusable = brokenPattern(tool);
      if (unusable !== null) return unusable;
      const texts = Object.keys(tools);
      const tested = await context.work('matches', { pattern: tool, texts, whole: true }, timeout_secs);
      if (tested === null) return tooSlow(timeout_secs);
      const found = Object.entries(tools).filter((_, index) => tested[index]);
      const calls = found.reduce((sum, [, times]) => sum + times, 0);
      const evidence = `${calls === 0 ? 'no call' : countOf(calls, 'call')} of ${quote(tool)}`;
      if (calls >= min) return pass(evidence);
      if (unread === true) return broken(`${evidence}; ${UNREAD}`);
      const called = Object.keys(tools).join(', ');
      return fail(
        `${evidence}; expected at least ${min}; ${called === '' ? 'no tool was called' : `the agent called ${quote(called)}`}`,
      );
    }),
});
