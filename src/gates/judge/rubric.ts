import { z } from 'zod';
import { cleanText, distinct, label, nonBlank } from '#input';

const TOLERANCE = 0.01;

const Criterion = z.strictObject({
  id: label('the id of a criterion').describe('Unique name of the criterion'),
  weight: z.number().min(0).max(1).describe('Its share of the score; all weights sum to 1'),
  description: nonBlank('what the criterion asks for').describe('What the criterion asks for'),
});

/** The rubric of a judge: weighted criteria, and the form of its answer. */
export const Rubric = z
  .strictObject({
    criteria: z
      .array(Criterion)
      .min(1)
      .check(distinct(({ id }) => id, 'criterion id', ['id']))
      .refine((criteria) => criteria.length === 0 || Math.abs(sum(criteria) - 1) <= TOLERANCE + Number.EPSILON, {
        error: ({ input }) =>
          `the weights sum to ${Number(sum(input as Criterion[]).toFixed(4))}; expected 1 (+-${TOLERANCE})`,
      })
      .describe('What the judge scores by'),
    output: z
      .strictObject({
        format: nonBlank('the format of the answer, like "json"').describe('Without effect: answers are JSON'),
        require_fields: z
          .array(label('the name of a field'))
          .describe('Fields that the answer must have besides the usual ones'),
      })
      .describe("Form of the judge's answer"),
  })
  .check(cleanText());
export type Rubric = z.infer<typeof Rubric>;
type Criterion = z.infer<typeof Criterion>;

const sum = (criteria: readonly Criterion[]): number => criteria.reduce((total, { weight }) => total + weight, 0);
