import { z } from 'zod';
import { nonBlank } from '#input';
import { checkTools, countCalls, judgeCalls } from '../check-tools.js';
import { commonFields } from '../fields.js';
import { defineGate } from '../gate.js';
import { foldCase } from '../text-matcher.js';

/** SEND_MESSAGE, sendMessage and send_message are the same action. */
const folded = (name: string): string => foldCase(name).replaceAll('_', '');

export const trajectoryContainsAction = defineGate({
  schema: z
    .strictObject({
      type: z.literal('trajectory_contains_action'),
      ...commonFields,
      action: nonBlank('the name of an action').describe('Name of a tool; case and `_` are ignored'),
    })
    .describe('The agent executed the tool, whether or not that succeeded'),
  subject: (spec) => spec.action,
  check: ({ action }, context) =>
    checkTools(context, (calls) =>
      judgeCalls(
        calls,
        countCalls(calls, (name) => folded(name) === folded(action)),
        action,
        1,
      ),
    ),
});
