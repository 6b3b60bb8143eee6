import { z } from 'zod';
import { checkTrajectory, seenOnly, UNREAD } from './check-trajectory.js';
import { commonFields, count } from './fields.js';
import { defineGate } from './gate.js';
import { broken, countOf, fail, pass } from './verdicts.js';

export const maxCommands = defineGate({
  schema: z
    .strictObject({
      type: z.literal('max_commands'),
      ...commonFields,
      max: count.describe('How many shell commands the agent may run'),
    })
    .describe('The agent ran no more shell commands than that'),
  subject: (spec) => countOf(spec.max, 'command'),
  check: ({ max }, context) =>
    checkTrajectory(context, (trajectory) => {
      const ran = countOf(trajectory.commandCount, 'command');
      const note = seenOnly(trajectory);
      const said = `${ran}, at most ${max} expected${note}`;
      if (trajectory.commandCount > max) return fail(said);
      return trajectory.unread === true ? broken(`${said}; ${UNREAD}`) : pass(said);
    }),
});
