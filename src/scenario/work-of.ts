import type { Json } from '../lib/json.js';
import { omit } from '../lib/omit.js';
import type { EffectiveScenario } from './plan.js';
import type { Step } from './scenario.js';

/*
 * A planned scenario has two parts: what the agent's work depends on, and what checks the work. If only the checks have
 * changed, they can be made again on work that was kept.
 */

type Planned = Omit<EffectiveScenario, 'fixture'>;

/** Returns everything in a planned scenario that the agent's work depends on, besides the fixture. */
export function workOf(planned: Planned): Json {
  const { scenario, judge, asked, target, target_path, target_files, host } = planned;
  const { inputs, environment, steps, mock, runtime, mocks, mock_url_variables, databases, cost } = scenario;
  const isTalking = steps.some(({ kind }) => kind === 'conversation');
  return asJson({
    ...{ target, target_path, target_files, host },
    // The model that plays the user.
    ...(isTalking ? { asked: asked ?? judge } : {}),
    scenario: {
      ...{ inputs, environment, mock, runtime, mocks, mock_url_variables, databases },
      max_usd: cost.max_usd,
      steps: steps.map(withoutGates),
    },
  });
}

const withoutGates = (step: Step): object => omit(step as GatedStep, 'name', ...GATES);

/**
 * The same without what flags can have set, which a file says nothing about: another build of the target, and the time
 * limit of the agent.
 */
export function workInFile(planned: Planned): Json {
  const { scenario, judge, target } = planned;
  const steps = scenario.steps.map((step) =>
    step.kind === 'agent' || step.kind === 'conversation' ? { ...step, timeout_secs: 0 } : step,
  );
  return workOf({ schema_version: 2, judge, target, target_path: null, scenario: { ...scenario, steps } });
}

/** Returns the work of one planned scenario with the checks of another. Their steps must be the same ones. */
export function withChecksOf<P extends Planned>(work: P, checks: Planned): P {
  const { judge, asked, scenario } = checks;
  const { description, tier, tags, judgment } = scenario;
  return {
    ...omit(work, 'asked'),
    judge,
    ...(asked === undefined ? {} : { asked }),
    scenario: {
      ...work.scenario,
      ...{ description, tier, tags, judgment, checks: scenario.checks },
      steps: work.scenario.steps.map((step, at) => withGatesOf(step, scenario.steps[at] ?? step)),
    },
  } as P;
}

const withGatesOf = (step: Step, checked: Step): Step => {
  const gates = Object.entries(checked).filter(([field]) => (GATES as readonly string[]).includes(field));
  return { ...omit(step as GatedStep, ...GATES), ...Object.fromEntries(gates) } as Step;
};

/** The fields of a step that check it. */
const GATES = ['gates', 'turn_gates'] as const;
/** Any step, with the fields that only some kinds have. */
type GatedStep = { name?: unknown } & Partial<Record<(typeof GATES)[number], unknown>>;

/** Leaves out what is undefined, as a file would. */
const asJson = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json;
