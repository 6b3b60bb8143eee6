import { z } from 'zod';
import { GateSpec } from '#gates';
import { isMap } from '#lib';

/** An evaluator is a gate. Only its `description`, and the field of `file_contains`, have other names in this form. */
const Evaluation = z.preprocess((evaluation, context) => {
  if (!isMap(evaluation)) return evaluation;
  const { description } = evaluation;
  if (description !== undefined && typeof description !== 'string')
    context.addIssue({ code: 'custom', path: ['description'], message: 'expected text', input: evaluation });
  const given = withName(evaluation);
  if (given.type !== 'file_contains' || !('value' in given) || 'substring' in given) return given;
  const { value, ...rest } = given;
  return { ...rest, substring: value };
}, GateSpec);

/**
 * The description of an evaluation is its name; one that also has a name keeps it. A script has a description in either
 * form.
 */
function withName({ description, ...given }: Record<string, unknown>): Record<string, unknown> {
  if (description === undefined) return given;
  return given['type'] === 'script' ? { description, ...given } : { name: description, ...given };
}

export const evaluations = z.array(Evaluation).describe('Evaluators, all made in this order');
