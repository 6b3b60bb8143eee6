import { z } from 'zod';
import { judgeNumber } from '../bounds.js';
import { checkTrajectory, seenOnly, whyMoreCommands } from '../check-trajectory.js';
import { commonFields, count } from '../fields.js';
import { defineGate } from '../gate.js';
import { countOf } from '../verdicts.js';

export const maxCommands = defineGate({
  schema: z
    .strictObject({
      type: z.literal('max_commands'),
      ...commonFields,
      max: count.describe('How many shell commands the agent may run'),
    })
    .describe('The agent ran at most `max` shell commands'),
  subject: (spec) => countOf(spec.max, 'command'),
  check: ({ max }, context) =>
    checkTrajectory(context, (trajectory) => {
      const ran = countOf(trajectory.commandCount, 'command');
      const why = whyMoreCommands(trajectory);
      const evidence = `${ran}; expected at most ${max}`;
      return judgeNumber(
        { max },
        { known: trajectory.commandCount, unknown: why === null ? 0 : Infinity },
        `${evidence}${seenOnly(trajectory)}`,
        `${evidence}; ${why ?? ''}`,
      );
    }),
});
