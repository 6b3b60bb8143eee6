import { z } from 'zod';
import { checkTurns } from '../asking.js';
import { boundsProblem, describeBounds, judgeNumber, type Bounds } from '../bounds.js';
import { commonFields } from '../fields.js';
import { defineGate } from '../gate.js';
import { countOf } from '../verdicts.js';

const turns = z.int().min(1);

interface Limits {
  min_turns?: number | undefined;
  max_turns?: number | undefined;
  target_range?: [number, number] | undefined;
}

/** The bounds that hold all limits together. */
function boundsOf({ min_turns: min, max_turns: max, target_range: range }: Limits): Bounds {
  const highest = [min, range?.[0]].filter((one) => one !== undefined);
  const lowest = [max, range?.[1]].filter((one) => one !== undefined);
  return {
    ...(highest.length === 0 ? {} : { min: Math.max(...highest) }),
    ...(lowest.length === 0 ? {} : { max: Math.min(...lowest) }),
  };
}

/** Why the limits make no sense. Null if they do. */
function limitsProblem(limits: Limits): string | null {
  const { min, max } = boundsOf(limits);
  if (min === undefined && max === undefined)
    return 'missing: expected a number here, or min_turns or target_range';
  return boundsProblem({ min, max: max ?? Infinity }, 'the other limits') === null
    ? null
    : `no number of turns is within all limits: ${describeBounds({ min, max })}`;
}

export const conversationLength = defineGate({
  schema: z
    .strictObject({
      type: z.literal('conversation_length'),
      ...commonFields,
      min_turns: turns.optional().describe('Lower limit of the number of turns'),
      max_turns: turns.optional().describe('Upper limit of the number of turns'),
      target_range: z
        .tuple([turns, turns], { error: 'expected two numbers: [min, max]' })
        .optional()
        .describe('Both limits: `[min, max]`'),
      optimal_turns: turns.optional().describe('Number of turns that is intended; only shown in the message'),
    })
    .superRefine((spec, context) => {
      const message = limitsProblem(spec);
      if (message !== null) context.addIssue({ code: 'custom', path: ['max_turns'], message });
    })
    .describe(
      'The conversation had as many turns as the limits allow, of which at least one is required; a turn is a message of the user and the answer of the agent',
    ),
  subject: (spec) => describeBounds(boundsOf(spec), ' turns'),
  check: (spec, context) =>
    checkTurns(context, ({ length }) => {
      const bounds = boundsOf(spec);
      const optimal = spec.optimal_turns === undefined ? '' : `; optimal ${spec.optimal_turns}`;
      const message = `${countOf(length, 'turn')}; expected ${describeBounds(bounds)}${optimal}`;
      return judgeNumber(bounds, { known: length, unknown: 0 }, message, message);
    }),
});
