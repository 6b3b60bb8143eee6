import { z } from 'zod';
import { JsonValue } from './json-value.js';
import { TokenUsage } from './token-usage.js';

/** What the judge came to, in metrics.json. Scores are 0..1. */
export const Judgment = z.object({
  /** As asked for: `provider/model`, or `agent:<agent>/<model>`. */
  model: z.string(),
  /** As the provider named it in its answer; null when it did not. */
  model_used: z.string().nullable(),
  /** By the ids of the rubric's criteria; of several votes the mean, like all numbers here. */
  scores: z.record(z.string(), z.number()),
  /** The scores by the rubric's weights, computed here: what the model said of it is in its answer only. */
  weighted_score: z.number(),
  /** The weighted score of each vote, in order. Empty in what older builds wrote. */
  votes: z.array(z.number()).default([]),
  /** How far they are apart: highest less lowest, and standard deviation. null for a single vote. */
  spread: z.object({ range: z.number(), deviation: z.number() }).nullable().default(null),
  confidence: z.number(),
  issues: z.array(z.string()),
  highlights: z.array(z.string()),
  /** What the rubric's `output.require_fields` names beside these. */
  fields: z.record(z.string(), JsonValue),
  pass_threshold: z.number(),
  passed: z.boolean(),
  /** Of all answers, the unusable ones too; of an agent, of all its starts. */
  usage: TokenUsage,
  cost_usd: z.number().nullable(),
  /** Where `cost_usd` is null: the part of it that is known. */
  cost_usd_at_least: z.number().exactOptional(),
  /** How many answers the judge gave, usable or not. */
  attempts: z.number().int(),
});
export type Judgment = z.infer<typeof Judgment>;

/** artifacts/judge/answer-<n>.json: one answer of the judge, whether it could be used or not. */
export const JudgeAnswer = z.object({
  schema_version: z.literal(1),
  /** ISO 8601 UTC */
  at: z.string(),
  model: z.string(),
  model_used: z.string().nullable(),
  finish_reason: z.string(),
  /** Which start of the agent gave it; absent where a model was asked by API. */
  start: z.number().int().exactOptional(),
  usage: TokenUsage,
  /** Why it could not be used; null when it was. */
  problem: z.string().nullable(),
  /** What it said, word for word. */
  text: z.string(),
});
export type JudgeAnswer = z.infer<typeof JudgeAnswer>;
