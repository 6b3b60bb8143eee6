import { modelAnswersOf } from '#gates';
import { canonicalJson, omit } from '#lib';
import { judgeModelOf, type EffectiveScenario } from './plan.js';
import { gatesOf, type Scenario, type Step } from './scenario.js';

/** Fields that only decide how the work is judged. */
const JUDGING = ['checks', 'judgment'] as const;
/** Fields that are only for people, only choose cells, or only add to the report. */
const NEUTRAL = ['description', 'tier', 'tags', 'agents', 'repeat', 'baseline', 'executions'] as const;
const OF_SCENARIO = [...JUDGING, ...NEUTRAL] as const;
const OF_EFFECTIVE = ['schema_version', 'checks', 'judge', 'asked'] as const;

/** The part of a scenario that the work of the agent depends on. */
export interface AgentInputs extends Omit<EffectiveScenario, 'scenario' | (typeof OF_EFFECTIVE)[number]> {
  scenario: Omit<Scenario, (typeof OF_SCENARIO)[number] | 'cost'> & { max_usd: number | null };
  /** The model that plays users and ends conversations; null if the scenario has no conversation. */
  asked: string | null;
}

/**
 * Returns the part of a scenario that the work of the agent depends on: everything but gates, evaluators, judge and
 * checks folder. Post scripts belong to it, since they change the workspace. If it is the same in two scenarios, only
 * their checks differ, and the checks of one can be applied to what was done for the other. A new field counts as an
 * input of the agent until it is named here. `agent`: the agent of the cell; only the mock depends on what the scenario
 * says about it.
 */
export function agentInputs(effective: EffectiveScenario, agent: string): AgentInputs {
  const { scenario, ...others } = omit(effective, ...OF_EFFECTIVE);
  const { cost, steps, ...work } = omit(scenario, ...OF_SCENARIO);
  if (agent !== 'mock') delete work.mock;
  const asksModel = steps.some(({ kind }) => kind === 'conversation');
  return {
    ...others,
    scenario: { ...work, steps: steps.map(withoutGates), max_usd: cost.max_usd ?? null },
    asked: asksModel ? judgeModelOf(effective) : null,
  };
}

/** The fields of a step that check it. */
export const GATE_FIELDS = ['gates', 'turn_gates'] as const;

/** Returns a step without the gates that check it. */
export const withoutGates = (step: Step): Step =>
  omit(step as Partial<Record<(typeof GATE_FIELDS)[number], unknown>>, ...GATE_FIELDS) as Step;

/**
 * Returns a text that is the same for scenarios whose judge and gates ask a model the same, and draw the same
 * conclusions from its answers. Which model they ask is not part of it.
 */
export const judgeInputs = ({ judge, scenario }: Pick<EffectiveScenario, 'judge' | 'scenario'>): string =>
  canonicalJson([
    judge === null ? null : omit(judge, 'model', 'rubric_file', 'timeout_secs'),
    gatesOf(scenario).flatMap(({ gate, after }) =>
      modelAnswersOf(gate) === 0 ? [] : [{ ...gate, timeout_secs: 0, after }],
    ),
  ]);
