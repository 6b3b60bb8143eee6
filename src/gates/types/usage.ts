import { counted } from '#lib';
import type { TokenUsage, Trajectory } from '#model';
import { z } from 'zod';
import { type Bounds, boundsProblem, describeBounds, judgeNumber } from '../bounds.js';
import { checkTrajectory } from '../check-trajectory.js';
import { commonFields, count } from '../fields.js';
import { defineGate, type Verdict } from '../gate.js';
import { broken, fail, pass } from '../verdicts.js';

const kinds: Record<keyof TokenUsage, string> = {
  input: 'input',
  output: 'output',
  reasoning: 'reasoning',
  cache_read: 'read from the cache',
  cache_write: 'written to the cache',
};

type Kind = keyof typeof kinds;

/**
 * Kinds of tokens that are counted together. The agent must report those in `required`, but not the others: not every
 * model has them, and some agents include them in these.
 */
interface TokenSum {
  noun: string;
  required: Kind[];
  others: Kind[];
}

/** All tokens. */
const ALL_TOKENS: TokenSum = {
  noun: 'token',
  required: ['input', 'output'],
  others: ['reasoning', 'cache_read', 'cache_write'],
};

/** The tokens that the model read. */
const INPUT_TOKENS: TokenSum = {
  noun: 'input token',
  required: ['input'],
  others: ['cache_read', 'cache_write'],
};

/** The tokens that the model wrote. */
const OUTPUT_TOKENS: TokenSum = { noun: 'output token', required: ['output'], others: ['reasoning'] };

/** Judges how many tokens the agent used. Unknown tokens give `error`, unless the others decide. */
function judgeTokens(
  { noun, required, others }: TokenSum,
  bounds: Bounds,
  { tokens: exact, tokensAtLeast }: Trajectory,
): Verdict {
  const tokens = tokensAtLeast ?? exact;
  const reported = [...required, ...others].flatMap((kind) => {
    const count = tokens[kind];
    return count === null ? [] : [{ count, words: kinds[kind] }];
  });
  const known = reported.reduce((sum, { count }) => sum + count, 0);
  const parts = reported.map(({ count, words }) => `${count} ${words}`).join(', ');
  const evidence = `${counted(known, noun)} (${parts || 'none reported'}); expected ${describeBounds(bounds)}`;
  const complete = tokensAtLeast === undefined && required.every((kind) => tokens[kind] !== null);
  return judgeNumber(
    bounds,
    { known, unknown: complete ? 0 : Infinity },
    evidence,
    tokensAtLeast === undefined
      ? `the number of ${noun}s is unknown because the agent does not report it; ${evidence}`
      : `the agent used at least ${evidence}; the rest is unknown`,
  );
}

export const maxTokens = defineGate({
  schema: z
    .strictObject({
      type: z.literal('max_tokens'),
      ...commonFields,
      max: count.describe('Tokens of all kinds together: input, output, reasoning and cache'),
    })
    .describe('The agent used at most `max` tokens: input, output, reasoning and cache together'),
  subject: (spec) => counted(spec.max, 'token'),
  check: ({ max }, context) => checkTrajectory(context, (trajectory) => judgeTokens(ALL_TOKENS, { max }, trajectory)),
});

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

/** Returns why `max_total_tokens` makes no sense beside the other limits, or is missing. Null if it is right. */
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
      max_input_tokens: count.optional().describe('Upper limit of input tokens, including those of the cache'),
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

export const maxCostUsd = defineGate({
  schema: z
    .strictObject({
      type: z.literal('max_cost_usd'),
      ...commonFields,
      max: z.number().min(0).describe('US dollars that the agent may cost'),
    })
    .describe('The agent cost at most `max` US dollars, without the judge'),
  subject: (spec) => `$${spec.max}`,
  check: ({ max }, context) =>
    checkTrajectory(context, ({ costUsd, tokens, costAtLeastUsd: atLeast }) => {
      if (costUsd === null && atLeast !== undefined) {
        const evidence = `the agent cost at least $${atLeast}; expected at most $${max}`;
        return atLeast > max ? fail(evidence) : broken(`${evidence}; the rest is unknown`);
      }
      if (costUsd === null) {
        const isReported = Object.values(tokens).some((count) => count !== null);
        return broken(
          `the cost is unknown: ${
            isReported
              ? 'the agent reports none, and its tokens have no price; add [prices."MODEL"] to the config file'
              : 'the agent reports neither cost nor tokens'
          }`,
        );
      }
      const evidence = `the agent cost $${costUsd}; expected at most $${max}`;
      return costUsd <= max ? pass(evidence) : fail(evidence);
    }),
});

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
