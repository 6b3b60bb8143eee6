import { z } from 'zod';

/** A line of an agent's output that is not exactly one of our events, or has numbers that cannot be right. */
export const LineProblem = z.object({
  start: z.int().describe('Start of the agent, from 1'),
  line: z.int().describe('Line of what it printed in that start, from 1'),
  field: z.string().nullable().describe('The first invalid field; null: the line is no event'),
  message: z.string().describe('What was found and what is expected, redacted'),
});
export type LineProblem = z.infer<typeof LineProblem>;

/** The invalid lines in the output of an agent: all that are no events, if it has `output = "jsonl"`. */
export const OutputProblems = z.object({
  lines: z.int().describe('Number of invalid lines'),
  events: z.int().describe('Number of valid events'),
  unread: z.boolean().describe('Whether something that the agent did may be missing'),
  first: z.array(LineProblem).describe('The first invalid lines, at most 20'),
});
export type OutputProblems = z.infer<typeof OutputProblems>;

/** Limited, because they are in each agent's record. */
export const KEPT_PROBLEMS = 20;

/** Adds what was found in one start to what was found in those before it. */
export const addProblems = (before: OutputProblems | null, found: OutputProblems): OutputProblems =>
  before === null
    ? found
    : {
        lines: before.lines + found.lines,
        events: before.events + found.events,
        unread: before.unread || found.unread,
        first: [...before.first, ...found.first].slice(0, KEPT_PROBLEMS),
      };

/** True if anything is to be reported. */
export const hasProblems = ({ lines, unread }: OutputProblems): boolean => lines > 0 || unread;
