import { z } from 'zod';
import { schemaVersion } from '#lib';
import { JsonValue, Usd } from './quantities.js';
import { TokenUsage } from './token-usage.js';
import { KeptText } from './redact-fields.js';

/** The judge's result, in metrics.json. Scores are from 0 to 1. */
export const Judgment = z.object({
  model: KeptText.describe('As requested'),
  model_used: z.string().nullable().describe('As the provider names it'),
  scores: z.record(KeptText, z.number()).describe('By criterion, 0 to 1; like all numbers here, the mean of the votes'),
  weighted_score: z.number().describe('Scores weighted by the rubric'),
  votes: z.array(z.number()).describe('Weighted score of each vote'),
  spread: z
    .object({
      range: z.number().describe('Highest minus lowest'),
      deviation: z.number().describe('Standard deviation of a sample'),
    })
    .nullable()
    .describe('How far the votes are apart; null: a single vote'),
  confidence: z.number().describe('From 0 to 1'),
  issues: z.array(z.string()).describe('Of all votes'),
  highlights: z.array(z.string()).describe('Of all votes'),
  fields: z.record(KeptText, JsonValue).describe("Other fields that the rubric's require_fields names"),
  pass_threshold: z.number().describe('As in the scenario'),
  passed: z.boolean().describe('Whether the score reaches the threshold'),
  usage: TokenUsage.describe('Tokens of all answers, also unusable ones'),
  cost_usd: Usd.nullable().describe('Their price; null: unknown'),
  cost_usd_at_least: Usd.exactOptional().describe('The known part of an unknown cost'),
  attempts: z.int().describe('Answers, usable or not'),
});
export type Judgment = z.infer<typeof Judgment>;

/** artifacts/judge/answer-<n>.json: one answer of the judge, usable or not. */
export const JudgeAnswer = z.object({
  schema_version: schemaVersion(1).describe('Version of the format'),
  at: KeptText.describe('ISO 8601 in UTC'),
  model: KeptText.describe('As requested'),
  model_used: z.string().nullable().describe('As the provider names it'),
  finish_reason: z.string().describe('How the answer ended'),
  start: z.int().exactOptional().describe('Start of the agent that gave the answer; only if an agent judges'),
  usage: TokenUsage.describe('Tokens of this answer'),
  wrong: z
    .array(z.string())
    .exactOptional()
    .describe('Reported numbers that cannot be right, so that they are unknown; absent: none'),
  problem: z.string().nullable().describe('Why it could not be used'),
  text: z.string().describe('The answer, word for word'),
});
export type JudgeAnswer = z.infer<typeof JudgeAnswer>;

/** The field for numbers that cannot be right, if there are any. */
export const wrongOf = (wrong: readonly string[]): Pick<JudgeAnswer, 'wrong'> =>
  wrong.length === 0 ? {} : { wrong: [...wrong] };
