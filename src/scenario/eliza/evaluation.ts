import { z } from 'zod';
import { GateSpec } from '../../gates/index.js';

export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An evaluator is a gate. Only the field of `file_contains` has another name in this form. */
const Evaluation = z.preprocess((given) => {
  if (!isMap(given)) return given;
  if (given.type !== 'file_contains' || !('value' in given) || 'substring' in given) return given;
  const { value, ...rest } = given;
  return { ...rest, substring: value };
}, GateSpec);

export const evaluations = z.array(Evaluation).describe('Evaluators, all made in this order');
