import type { Json } from '../lib/json.js';
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

function withoutGates(step: Step): object {
  if (step.kind === 'script') return step;
  const { name: _name, gates: _gates, ...rest } = step;
  if (rest.kind !== 'conversation') return rest;
  const { turn_gates: _turnGates, ...conversation } = rest;
  return conversation;
}

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
  const { asked: _asked, ...rest } = work;
  return {
    ...rest,
    judge,
    ...(asked === undefined ? {} : { asked }),
    scenario: {
      ...work.scenario,
      ...{ description, tier, tags, judgment, checks: scenario.checks },
      steps: work.scenario.steps.map((step, at) => withGatesOf(step, scenario.steps[at])),
    },
  } as P;
}

function withGatesOf(step: Step, other: Step | undefined): Step {
  if (step.kind === 'script' || other === undefined || other.kind === 'script') return step;
  const { gates: _gates, ...rest } = step;
  const gates = other.gates === undefined ? {} : { gates: other.gates };
  if (rest.kind !== 'conversation' || other.kind !== 'conversation') return { ...rest, ...gates };
  const { turn_gates: _turnGates, ...conversation } = rest;
  const turn_gates = other.turn_gates === undefined ? {} : { turn_gates: other.turn_gates };
  return { ...conversation, ...gates, ...turn_gates };
}

/** Leaves out what is undefined, as a file would. */
const asJson = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json;
