import { defined, omit } from '#lib';
import { GATE_FIELDS, withoutGates } from './agent-inputs.js';
import type { EffectiveScenario } from './plan.js';
import type { Step } from './scenario.js';

type Planned = Omit<EffectiveScenario, 'fixture'>;

/** Returns one planned scenario with the checks of another. Their steps must be the same ones. */
export function withChecksOf<P extends Planned>(planned: P, checked: Planned): P {
  const { judge, asked, checks, scenario } = checked;
  const { description, tier, tags, judgment } = scenario;
  return {
    ...omit(planned, 'asked', 'checks'),
    judge,
    ...defined({ asked, checks }),
    scenario: {
      ...planned.scenario,
      description,
      tier,
      tags,
      judgment,
      checks: scenario.checks,
      steps: planned.scenario.steps.map((step, at) => withGatesOf(step, scenario.steps[at] ?? step)),
    },
  } as P;
}

const withGatesOf = (step: Step, checked: Step): Step => {
  const isGate = (field: string): boolean => (GATE_FIELDS as readonly string[]).includes(field);
  const gates = Object.entries(checked).filter(([field]) => isGate(field));
  return { ...withoutGates(step), ...Object.fromEntries(gates) };
};

/**
 * Returns a planned scenario without what flags can have set, which its file says nothing about: another build of the
 * target, the time limit of the agent, and the model that is asked.
 */
export function withoutFlags<P extends Planned>(planned: P): P {
  const { scenario } = planned;
  const steps = scenario.steps.map((step) =>
    step.kind === 'agent' || step.kind === 'conversation' ? { ...step, timeout_secs: 0 } : step,
  );
  return {
    ...omit(planned, 'target_files', 'host', 'asked'),
    target_path: null,
    judge: null,
    scenario: { ...scenario, steps },
  } as P;
}
