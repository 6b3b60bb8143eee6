import { z } from 'zod';
import { LONGEST_TIMER_SECS } from '#lib';
import { matcherProblem } from './matcher.js';
import { placeholderProblems, textsIn, type Placeholders } from './template.js';

/*
 * The fields that mocks of all kinds have.
 */

/** Text in which placeholders are replaced with parts of the call. */
export const template = (placeholders: Placeholders): z.ZodString =>
  z.string().superRefine((text, context) => {
    for (const message of placeholderProblems(text, placeholders)) context.addIssue({ code: 'custom', message });
  });

/** Any JSON, in whose texts placeholders are replaced with parts of the call. */
export const jsonTemplate = (placeholders: Placeholders) =>
  z.json().superRefine((value, context) => {
    for (const { path, text } of textsIn(value))
      for (const message of placeholderProblems(text, placeholders))
        context.addIssue({ code: 'custom', path, message });
  });

export const matcher = z
  .string()
  .superRefine((expression, context) => {
    const message = matcherProblem(expression);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .exactOptional()
  .describe('JavaScript with `args`, `input` and `context`, or one comparison with `${input.name}`; it must be true');

const step = z.string().exactOptional().describe('Name of the step in run.json, like `agent` or `gate 1`');
export const agent = z.string().exactOptional().describe('Name of the agent');
export const scenario = z.string().exactOptional().describe('Name of the scenario');

/** Where a program calls a command or an endpoint. */
export const stepContext = z.strictObject({ step, agent, scenario }).exactOptional().describe('Where the call is made');

export const errorCode = z.string().describe('A word for the kind of error');
export const errorMessage = z.string().describe('What is wrong');

export const metadata = z
  .strictObject({
    delay: z
      .number()
      .min(0)
      .max(LONGEST_TIMER_SECS * 1000)
      .default(0)
      .describe('Milliseconds before the answer'),
    probability: z.number().min(0).max(1).default(0).describe('The chance that a call fails'),
  })
  .prefault({})
  .describe('Delays and failures');
