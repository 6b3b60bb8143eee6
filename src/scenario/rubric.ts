import { z } from 'zod';
import { nonBlank } from '../gates/fields.js';
import { cleanText, distinct, label } from './fields.js';
import { loadYaml } from './load-yaml.js';
import type { Loaded } from './source.js';

const TOLERANCE = 0.01;

const Criterion = z.strictObject({
  id: label('the id of a criterion').describe('Names the criterion; unique'),
  weight: z.number().min(0).max(1).describe('Its share of the score; all weights sum to 1'),
  description: nonBlank('what the criterion asks for').describe('What the criterion asks for'),
});

/** By what the judge scores: weighted criteria, and the form of the answer. */
export const Rubric = z
  .strictObject({
    criteria: z
      .array(Criterion)
      .min(1)
      .check(distinct(({ id }) => id, 'criterion id', ['id']))
      .refine(
        (criteria) => criteria.length === 0 || Math.abs(sum(criteria) - 1) <= TOLERANCE + Number.EPSILON,
        {
          error: ({ input }) =>
            `the weights sum to ${Number(sum(input as Criterion[]).toFixed(4))}; expected 1 (+-${TOLERANCE})`,
        },
      )
      .describe('By what the judge scores'),
    output: z
      .strictObject({
        format: nonBlank('the format of the answer, like "json"').describe('Format of the answer, like json'),
        require_fields: z.array(label('the name of a field')).describe('Fields that the answer must have'),
      })
      .describe('The form of the answer of the judge'),
  })
  .check(cleanText());
export type Rubric = z.infer<typeof Rubric>;
type Criterion = z.infer<typeof Criterion>;

const sum = (criteria: readonly Criterion[]): number =>
  criteria.reduce((total, { weight }) => total + weight, 0);

/** Reads a rubric file. */
export const loadRubric = (file: string, text: string): Loaded<Rubric> => loadYaml(Rubric, file, text);
