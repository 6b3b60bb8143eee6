import { canonicalJson, isJsonObject, type Json, omit } from '#lib';

/** Parts of scenario.json besides the subject that cannot change what an agent sends first: checks, judgment, and what is run how often. */
const OF_FILE = ['subject', 'judge', 'asked', 'checks'] as const;
const OF_SCENARIO = [
  ...(['subject', 'baseline', 'checks', 'judgment'] as const),
  ...(['description', 'tier', 'tags', 'agents', 'repeat', 'cost'] as const),
] as const;
const OF_STEP = ['gates', 'turn_gates'] as const;

/**
 * Returns what may change the first request of an agent besides the subject, as text: everything in scenario.json that is not known
 * to be without effect on it.
 */
export function contextInputs(stored: Json): string {
  if (!isJsonObject(stored)) return canonicalJson(stored);
  const { scenario, ...file } = stored;
  return canonicalJson({ ...omit(file, ...OF_FILE), scenario: ofScenario(scenario) });
}

function ofScenario(scenario: Json | undefined): unknown {
  if (!isJsonObject(scenario)) return scenario;
  const { steps, ...rest } = scenario;
  // A list, or an object by the names of the steps.
  const all = Array.isArray(steps) ? steps : isJsonObject(steps) ? Object.values(steps) : [];
  return {
    ...omit(rest, ...OF_SCENARIO),
    steps: all.map((step) => (isJsonObject(step) ? omit(step, ...OF_STEP) : step)),
  };
}
