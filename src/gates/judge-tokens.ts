import type { TokenUsage, Trajectory } from '#model';
import { describeBounds, judgeNumber, type Bounds } from './bounds.js';
import type { Verdict } from './gate.js';
import { countOf } from './verdicts.js';

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
export const ALL_TOKENS: TokenSum = {
  noun: 'token',
  required: ['input', 'output'],
  others: ['reasoning', 'cache_read', 'cache_write'],
};

/** What the model read. */
export const INPUT_TOKENS: TokenSum = {
  noun: 'input token',
  required: ['input'],
  others: ['cache_read', 'cache_write'],
};

/** What the model wrote. */
export const OUTPUT_TOKENS: TokenSum = { noun: 'output token', required: ['output'], others: ['reasoning'] };

/** Judges how many tokens the agent used. Unknown tokens give `error`, unless the others decide. */
export function judgeTokens(
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
  const evidence = `${countOf(known, noun)} (${parts || 'none reported'}); expected ${describeBounds(bounds)}`;
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
