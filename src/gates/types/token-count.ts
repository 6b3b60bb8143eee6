import { z } from 'zod';
import { boundsProblem, describeBounds } from '../bounds.js';
import { checkTrajectory } from '../check-trajectory.js';
import { commonFields, count } from '../fields.js';
import { defineGate, type Verdict } from '../gate.js';
import { ALL_TOKENS, INPUT_TOKENS, judgeTokens, OUTPUT_TOKENS } from '../judge-tokens.js';

interface Limits {
  min_total_tokens?: number | undefined;
  max_total_tokens?: number | undefined;
  max_input_tokens?: number | undefined;
  max_output_tokens?: number | undefined;
}

/** The sums of tokens that have bounds. */
const boundedSums = (limits: Limits) =>
  [
    { sum: ALL_TOKENS, bounds: { min: limits.min_total_tokens, max: limits.max_total_tokens } },
    { sum: INPUT_TOKENS, bounds: { min: undefined, max: limits.max_input_tokens } },
    { sum: OUTPUT_TOKENS, bounds: { min: undefined, max: limits.max_output_tokens } },
  ].filter(({ bounds: { min, max } }) => min !== undefined || max !== undefined);

/** Why `max_total_tokens` makes no sense beside the other limits, or is missing. Null if it is right. */
function totalProblem({ min_total_tokens: min, max_total_tokens: max, ...spec }: Limits): string | null {
  const other = spec.max_input_tokens ?? spec.max_output_tokens;
  if (max !== undefined || (min !== undefined && other === undefined))
    return boundsProblem({ min, max }, 'min_total_tokens');
  return other === undefined
    ? 'missing: expected a number here, or min_total_tokens, max_input_tokens or max_output_tokens'
    : null;
}

/** One verdict for several: the worst one. `fail` is worse than `error`, because it is certain. */
function worstOf(verdicts: readonly Verdict[]): Verdict {
  const status =
    (['fail', 'error'] as const).find((bad) => verdicts.some((verdict) => verdict.status === bad)) ?? 'pass';
  const messages = verdicts.flatMap((verdict) => (verdict.status === status ? [verdict.message] : []));
  return { status, message: messages.join('; ') };
}

export const tokenCount = defineGate({
  schema: z
    .strictObject({
      type: z.literal('token_count'),
      ...commonFields,
      max_total_tokens: count.optional().describe('Upper limit of tokens of all kinds together'),
      min_total_tokens: count.optional().describe('Lower limit of tokens of all kinds together'),
      max_input_tokens: count
        .optional()
        .describe('Upper limit of input tokens, including those of the cache'),
      max_output_tokens: count.optional().describe('Upper limit of output tokens, including reasoning'),
    })
    .superRefine((spec, context) => {
      const message = totalProblem(spec);
      if (message !== null) context.addIssue({ code: 'custom', path: ['max_total_tokens'], message });
    })
    .describe("The agent's tokens are within the limits, of which at least one is required"),
  subject: (spec) =>
    boundedSums(spec)
      .map(({ sum, bounds }) => describeBounds(bounds, ` ${sum.noun}s`))
      .join(', '),
  check: (spec, context) =>
    checkTrajectory(context, (trajectory) =>
      worstOf(boundedSums(spec).map(({ sum, bounds }) => judgeTokens(sum, bounds, trajectory))),
    ),
});
