import { type NamedStep, nameSteps } from '#model';
import type { Scenario, Step } from '#scenario';

type StepOf<K extends Step['kind']> = Extract<Step, { kind: K }>;

/** The steps of a kind, in order. */
export const stepsOfKind = <K extends Step['kind']>(
  { steps }: Pick<Scenario, 'steps'>,
  kind: K,
): NamedStep<StepOf<K>>[] =>
  nameSteps(steps).flatMap((named) => (named.step.kind === kind ? [{ ...named, step: named.step as StepOf<K> }] : []));

/** Returns the step that an activity should perform. @throws RangeError if the scenario has no such step */
export function stepAt<K extends Step['kind']>(
  scenario: Pick<Scenario, 'steps'>,
  kind: K,
  index: number,
): NamedStep<StepOf<K>> {
  const named = stepsOfKind(scenario, kind)[index];
  if (named === undefined) throw new RangeError(`no step ${kind} ${index}`);
  return named;
}
