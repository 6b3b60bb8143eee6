import { counted } from '#lib';
import { conversationText } from '#model';
import { z } from 'zod';
import {
  answerSchema,
  askingFields,
  BOOLEAN,
  checkTurns,
  isMajority,
  meanOf,
  onceProblem,
  percentText,
  readAnswer,
  share,
} from '../asking.js';
import { type Bounds, boundsProblem, describeBounds, judgeNumber } from '../bounds.js';
import { commonFields } from '../fields.js';
import { defineGate, type Verdict } from '../gate.js';
import { fail, pass } from '../verdicts.js';

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

/** Returns why the limits make no sense. Null if they do. */
function limitsProblem(limits: Limits): string | null {
  const { min, max } = boundsOf(limits);
  if (min === undefined && max === undefined) return 'missing: expected a number here, or min_turns or target_range';
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
      const message = `${counted(length, 'turn')}; expected ${describeBounds(bounds)}${optimal}`;
      return judgeNumber(bounds, { known: length, unknown: 0 }, message, message);
    }),
});

/** The meaning of each pattern. */
const PATTERNS = {
  question_then_answer: 'the agent asks a question, and the user answers it',
  problem_then_solution: 'the user states a problem, and the agent offers a solution',
  clarification_cycle: 'the agent and the user clarify something in several messages',
  empathy_then_solution: 'the agent shows empathy before it offers a solution',
  escalation_pattern: 'the agent escalates when that is appropriate, for example to a person',
} as const;
type Pattern = keyof typeof PATTERNS;
const names = Object.keys(PATTERNS) as Pattern[];

const Answer = z.object({
  patterns: z.array(z.object({ pattern: z.string(), reasoning: z.string(), present: z.boolean() })),
});

/** Judges which of the wanted patterns are there: enough, if their share reaches the threshold. */
export function judgeFlow(
  wanted: readonly string[],
  threshold: number,
  votes: readonly z.infer<typeof Answer>[],
): Verdict {
  const found = wanted.map((pattern) => {
    const answers = votes.flatMap(({ patterns }) => patterns.filter((one) => one.pattern === pattern));
    const present = isMajority(answers.map((one) => one.present));
    return { pattern, present, reasoning: answers.find((one) => one.present === present)?.reasoning ?? '' };
  });
  const reached = meanOf(found.map(({ present }) => (present ? 1 : 0)));
  const missing = found.filter(({ present }) => !present).map(({ pattern }) => pattern);
  const message = `${wanted.length - missing.length} of ${wanted.length} patterns; expected at least ${percentText(threshold)}${missing.length === 0 ? '' : `; missing: ${missing.join(', ')}`}`;
  return {
    ...(reached >= threshold ? pass(message) : fail(message)),
    detail: { patterns: found, share: reached },
  };
}

export const conversationFlow = defineGate({
  schema: z
    .strictObject({
      type: z.literal('conversation_flow'),
      ...askingFields,
      required_patterns: z
        .array(z.enum(names))
        .min(1)
        .refine((list) => new Set(list).size === list.length, { error: 'expected different patterns' })
        .describe('The patterns that are looked for'),
      flow_quality_threshold: share
        .default(0.7)
        .describe('The share of the patterns that the conversation must have, 0 to 1'),
    })
    .describe('The conversation has enough of these patterns, as a model judges'),
  subject: ({ required_patterns }) => required_patterns.join(', '),
  asks: ({ votes }) => votes,
  check: ({ required_patterns: wanted, flow_quality_threshold: threshold, ...spec }, context) =>
    checkTurns(context, async (turns) => {
      const votes = await context.ask({
        instructions: [
          'You analyse a conversation between a user and an agent. Say for each of these patterns whether it occurs at least once:',
          ...wanted.map((pattern) => `- ${pattern}: ${PATTERNS[pattern]}`),
        ].join('\n'),
        evidence: { conversation: conversationText(turns) },
        example: {
          patterns: wanted.map((pattern) => ({
            pattern,
            reasoning: 'why, in a sentence that names the turns',
            present: BOOLEAN,
          })),
        },
        schema: answerSchema(Answer),
        read: readAnswer(Answer, ({ patterns }) =>
          onceProblem(
            wanted,
            patterns.map(({ pattern }) => pattern),
          ),
        ),
        votes: spec.votes,
        timeoutSecs: spec.timeout_secs,
      });
      return judgeFlow(wanted, threshold, votes);
    }),
});
