import { z } from 'zod';
import { boundsProblem, describeBounds, judgeNumber } from '../bounds.js';
import { commonFields } from '../fields.js';
import { defineGate } from '../gate.js';
import { broken } from '../verdicts.js';

const milliseconds = z.number().min(0);

export const executionTime = defineGate({
  schema: z
    .strictObject({
      type: z.literal('execution_time'),
      ...commonFields,
      max_duration_ms: milliseconds.describe('How long the agent may work, in milliseconds'),
      min_duration_ms: milliseconds.optional().describe('How long the agent must work, in milliseconds'),
      target_duration_ms: milliseconds
        .optional()
        .describe('Intended duration, in milliseconds; only shown in the message'),
    })
    .superRefine(({ min_duration_ms: min, max_duration_ms: max }, context) => {
      const message = boundsProblem({ min, max }, 'min_duration_ms');
      if (message !== null) context.addIssue({ code: 'custom', path: ['max_duration_ms'], message });
    })
    .describe('The agent worked for at most `max_duration_ms` and at least `min_duration_ms`'),
  subject: ({ min_duration_ms: min, max_duration_ms: max }) => describeBounds({ min, max }, ' ms'),
  check: async ({ min_duration_ms: min, max_duration_ms: max, target_duration_ms: target }, context) => {
    const durationMs = await context.durationMs();
    if (durationMs === null) return broken('how long the agent worked was not recorded');
    const intended = target === undefined ? '' : `; target ${target} ms`;
    const message = `took ${durationMs} ms; expected ${describeBounds({ min, max }, ' ms')}${intended}`;
    return judgeNumber({ min, max }, { known: durationMs, unknown: 0 }, message, message);
  },
});
