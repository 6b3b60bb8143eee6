import { z } from 'zod';
import { findObject } from '#gates';
import type { Json } from '#lib';

const ConditionAnswer = z.object({
  answer: z.enum(['yes', 'no']),
  confidence: z.number().min(0).max(1),
  reason: z.string(),
});
export type ConditionAnswer = z.infer<typeof ConditionAnswer>;

/** The form of the answer to `conditionPrompt`, as a JSON schema. */
export const conditionSchema = z.toJSONSchema(ConditionAnswer, { target: 'draft-7' }) as Record<string, Json>;

/** Reads a model's answer to `conditionPrompt`. */
export function readConditionAnswer(
  text: string,
): { ok: true; answer: ConditionAnswer } | { ok: false; problem: string } {
  const read = ConditionAnswer.safeParse(findObject(text));
  return read.success
    ? { ok: true, answer: read.data }
    : {
        ok: false,
        problem: 'expected a JSON object with answer (yes or no), confidence (0 to 1) and reason',
      };
}
