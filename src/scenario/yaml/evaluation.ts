import { z } from 'zod';
import { GateSpec, MAX_ANSWER_SECS, MAX_VOTES } from '#gates';
import { judgeName, nonBlank, seconds } from '#input';

/** An LLM that scores the run by a rubric. The rubric's path is relative to the scenario file. */
const Judge = z.strictObject({
  enabled: z.boolean().describe('Whether the judge is asked'),
  rubric: nonBlank('the path of the rubric file').describe('Rubric file, relative to the scenario file'),
  pass_threshold: z.number().min(0).max(1).describe('The run fails if the score is lower'),
  always: z.boolean().default(false).describe('Whether to judge even if a gate failed'),
  model: judgeName
    .exactOptional()
    .describe('Who judges: a model as provider/model, or an agent as agent:<agent>/<model>'),
  votes: z.int().min(1).max(MAX_VOTES).default(1).describe('How many times the judge is asked; the score is the mean'),
  timeout_secs: seconds.max(MAX_ANSWER_SECS).default(MAX_ANSWER_SECS).describe('Time limit of one answer, in seconds'),
});
type Judge = z.infer<typeof Judge>;

/** The weights of the composite score, which is clamped to 0..1. It is only computed if this is present. */
const Composite = z.strictObject({
  judge_weight: z.number().min(0).default(0.55).describe('Weight of the score of the judge'),
  gate_weight: z.number().min(0).default(0.35).describe('Weight of gates passed / gates'),
  interaction_weight: z
    .number()
    .min(0)
    .default(0.1)
    .describe('Weight of the share of commands that succeeded on the first try'),
});
type Composite = z.infer<typeof Composite>;

/**
 * The rules for judging a run. The list of gates may be empty: then only the judge and the evaluators assess the run.
 */
export const Evaluation = z.strictObject({
  gates: z.array(GateSpec).describe('Checks, all made in this order; if one fails, the run fails'),
  judge: Judge.exactOptional().describe('An LLM that scores the run by a rubric'),
  composite: Composite.exactOptional().describe('Weights of the composite score, a number from 0 to 1 for comparisons'),
});
export type Evaluation = z.infer<typeof Evaluation>;
