import { z } from 'zod';
import { GateSpec } from '../../gates/index.js';

export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Evaluators of the form that are not gates yet. */
const EVALUATORS_NOT_YET = [
  'llm_judge',
  'conversation_length',
  'conversation_flow',
  'user_satisfaction',
  'context_retention',
];

/** An evaluator is a gate. Only the field of `file_contains` has another name in this form. */
const Evaluation = z.preprocess((given, context) => {
  if (!isMap(given)) return given;
  if (EVALUATORS_NOT_YET.includes(String(given.type)))
    context.addIssue({
      code: 'custom',
      path: ['type'],
      message: `the evaluator ${String(given.type)} is not supported yet`,
      input: given,
    });
  if (given.type !== 'file_contains' || !('value' in given) || 'substring' in given) return given;
  const { value, ...rest } = given;
  return { ...rest, substring: value };
}, GateSpec);

export const evaluations = z.array(Evaluation).describe('Evaluators, all made in this order');
