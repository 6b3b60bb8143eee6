import { z } from 'zod';
import { seconds } from '#input';
import { isJsonObject, type Json } from '#lib';
import type { Turn } from '#model';
import type { GateContext, GateQuestion, Verdict } from './gate.js';
import { broken } from './verdicts.js';

/** HTTP clients close a connection that has been silent for this long. */
export const MAX_ANSWER_SECS = 300;
/** Each vote costs money, and more votes hardly make the result more stable. */
export const MAX_VOTES = 9;

/** The fields of every gate that asks a model, besides its type. */
export const askingFields = {
  name: z.string().optional().describe('Shown in reports, beside the type'),
  timeout_secs: seconds
    .max(MAX_ANSWER_SECS)
    .default(MAX_ANSWER_SECS)
    .describe('Time limit of one answer of the model, in seconds'),
  votes: z
    .int()
    .min(1)
    .max(MAX_VOTES)
    .default(1)
    .describe('How many times the model is asked; the majority counts, or the mean of numbers'),
};

export const share = z.number().min(0).max(1);

/** Placeholders in the example of an answer. */
export const NUMBER = '<number from 0 to 1>';
export const BOOLEAN = '<true or false>';

/**
 * The schema of an answer as a JSON schema. It should have no limits for numbers, because not every provider accepts
 * them.
 */
export function answerSchema(schema: z.ZodType): Record<string, Json> {
  const json = JSON.parse(JSON.stringify(z.toJSONSchema(schema))) as Json;
  const parts = isJsonObject(json) ? Object.entries(json) : [];
  return Object.fromEntries(parts.filter(([key]) => key !== '$schema'));
}

/** Parses an answer by its schema. `problemOf` says what else is wrong with it. */
export const readAnswer =
  <A>(schema: z.ZodType<A>, problemOf: (answer: A) => string | null): GateQuestion<A>['read'] =>
  (answer) => {
    const parsed = schema.safeParse(answer);
    if (!parsed.success) {
      const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
      return { ok: false, problem: problems.join('; ') };
    }
    const problem = problemOf(parsed.data);
    return problem === null ? { ok: true, answer: parsed.data } : { ok: false, problem };
  };

/** Returns why a list does not name each of the wanted things exactly once; null if it does. */
export function onceProblem(wanted: readonly string[], given: readonly string[]): string | null {
  const left = new Set(wanted);
  for (const one of given)
    if (!left.delete(one))
      return wanted.includes(one)
        ? `${JSON.stringify(one)} is answered twice`
        : `${JSON.stringify(one)} was not asked for`;
  const [missing] = left;
  return missing === undefined ? null : `${JSON.stringify(missing)} is not answered`;
}

/** Returns why a number is not a share; null if it is. */
export const shareProblem = (name: string, value: number): string | null =>
  value >= 0 && value <= 1 ? null : `${name}: expected a number from 0 to 1`;

/** True if more than half of the votes are for it. */
export const isMajority = (votes: readonly boolean[]): boolean => votes.filter(Boolean).length * 2 > votes.length;

/** The mean, rounded so that three votes of 0.7 reach a threshold of 0.7. */
export const meanOf = (numbers: readonly number[]): number =>
  Math.round((numbers.reduce((sum, one) => sum + one, 0) / numbers.length) * 1e6) / 1e6;

/** "67 %" */
export const percentText = (value: number): string => `${Math.round(value * 1000) / 10} %`;

/** Judges the conversation with the agent. The verdict is `error` if there is none. */
export async function checkTurns(
  context: GateContext,
  judge: (turns: [Turn, ...Turn[]]) => Verdict | Promise<Verdict>,
): Promise<Verdict> {
  const [first, ...rest] = (await context.turns()) ?? [];
  return first === undefined
    ? broken('there was no conversation with the agent that could be judged')
    : judge([first, ...rest]);
}
