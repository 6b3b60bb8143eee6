import { z } from 'zod';
import { checkTrajectory, seenOnly } from './check-trajectory.js';
import { commonFields, count } from './fields.js';
import { defineGate } from './gate.js';
import { countOf, fail, pass } from './verdicts.js';

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
      return trajectory.commandCount <= max
        ? pass(`${ran}, at most ${max} expected${note}`)
        : fail(`${ran}, at most ${max} expected${note}`);
    }),
});
