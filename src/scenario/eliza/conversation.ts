import { z } from 'zod';
import { END_CONDITIONS } from '../conversation.js';
import { always, nonBlank } from '#input';
import { evaluations } from './evaluation.js';

const User = z.strictObject({
  persona: nonBlank('who the user is').describe('Who the user is'),
  objective: nonBlank('what the user wants').describe('What the user wants'),
  style: z.string().exactOptional().describe('How the user writes'),
  constraints: z.array(z.string()).default([]).describe('What the user keeps to'),
  emotional_state: z.string().exactOptional().describe("The user's mood"),
  knowledge_level: z
    .enum(['beginner', 'intermediate', 'expert'])
    .default('intermediate')
    .describe('What the user knows of the subject'),
  temperature: z.number().min(0).max(2).default(0.7).describe('Sampling temperature, for models that accept one'),
  max_tokens: z.int().min(50).max(500).default(200).describe('Limit of one message, in tokens'),
  model_type: z.string().exactOptional().describe('Without effect: the model of the judge plays the user'),
});

const Condition = z
  .strictObject({
    type: z.enum(END_CONDITIONS).describe('What ends the conversation'),
    description: z.string().exactOptional().describe('For people'),
    keywords: z
      .array(nonBlank('a word to look for'))
      .min(1)
      .exactOptional()
      .describe('Words to look for instead of the usual ones, ignoring case'),
    llm_judge: z
      .strictObject({
        prompt: nonBlank('the question for the model').describe('A question that the model answers with yes or no'),
        threshold: z
          .number()
          .min(0)
          .max(1)
          .default(0.8)
          .describe('The least confidence of the model with which its yes counts'),
      })
      .exactOptional()
      .describe('Asks the model of the judge instead'),
  })
  .check(
    z.superRefine<object>((given: { type?: unknown; keywords?: unknown; llm_judge?: unknown }, context) => {
      if (given.type === 'custom_condition' && given.keywords === undefined && given.llm_judge === undefined)
        context.addIssue({ code: 'custom', message: 'expected keywords or llm_judge; got neither' });
    }, always),
  );

/** A conversation in a file of the ElizaOS form. Times in milliseconds. */
export const Conversation = z.strictObject({
  max_turns: z.int().min(2).max(20).describe('Maximum number of turns'),
  timeout_per_turn_ms: z.int().min(1000).default(30_000).describe('How long the agent may work on one message'),
  total_timeout_ms: z.int().min(10_000).default(300_000).describe('How long the agent may work in all turns together'),
  user_simulator: User.describe('The user whom a model plays'),
  termination_conditions: z
    .array(Condition)
    .default([])
    .describe('The conversation ends after a turn when the first of these holds'),
  turn_evaluations: evaluations.default([]).describe('Evaluators after every turn; each must pass every time'),
  final_evaluations: evaluations.default([]).describe('Evaluators after the last turn'),
  debug_options: z
    .strictObject({
      log_user_simulation: z.boolean().exactOptional().describe('Without effect'),
      log_turn_decisions: z.boolean().exactOptional().describe('Without effect'),
      export_full_transcript: z.boolean().exactOptional().describe('Without effect'),
    })
    .exactOptional()
    .describe('For the ElizaOS scenario runner; here, everything is recorded'),
});
export type Conversation = z.infer<typeof Conversation>;
