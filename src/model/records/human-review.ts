import { z } from 'zod';
import { KeptText } from './redact-fields.js';

/** A person's verdict on a gate. */
export const GateVerdict = z.enum(['pass', 'fail']);
export type GateVerdict = z.infer<typeof GateVerdict>;

/** A person's review, from evaluation.md of a run. It is read from there, and stored nowhere else. */
export const HumanReview = z.object({
  score: z.number().nullable().describe('Points / max, 0 to 1; null: none, or unreadable'),
  points: z.number().nullable().describe('As written: 4 of 4/5'),
  max: z.number().nullable().describe('As written: 5 of 4/5'),
  criteria: z
    .record(KeptText, z.number())
    .exactOptional()
    .describe("Score of each of the judge's criteria that was scored, 0 to 1; absent: none"),
  gates: z
    .record(KeptText, GateVerdict)
    .exactOptional()
    .describe("Verdict on each gate judged by a model that has one, by the gate's number from 1; absent: none"),
  labels: z
    .array(z.string())
    .exactOptional()
    .describe('Labels that the person gave the run, such as flaky-env; absent: none'),
  notes: z.string().nullable().describe('The notes, redacted'),
  reviewer: z.string().nullable().describe('Who wrote the review'),
  problem: z.string().nullable().describe('Why the score cannot be read, with line and column'),
});
export type HumanReview = z.infer<typeof HumanReview>;
