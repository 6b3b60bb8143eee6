import { z } from 'zod';
import { EffectiveScenario } from './plan.js';
import { withAgentTimeout } from './scenario.js';
import { ScenarioFile } from './yaml/schema.js';
import { toScenario } from './yaml/to-scenario.js';

/** The form that older builds stored: the parsed scenario file, without a version. */
const FirstVersion = z.object({
  ...EffectiveScenario.omit({ schema_version: true }).shape,
  scenario: ScenarioFile,
  timeout_secs: z.number(),
  judge: EffectiveScenario.shape.judge.default(null),
});

/** `scenario.json` in the store, as this build or an older one wrote it. Older forms are converted. */
export const StoredScenario = z.preprocess((stored): unknown => {
  if (typeof stored === 'object' && stored !== null && 'schema_version' in stored) return stored;
  const old = FirstVersion.safeParse(stored);
  if (!old.success) return stored;
  const { scenario, timeout_secs, ...rest } = old.data;
  return {
    schema_version: 2,
    ...rest,
    scenario: withAgentTimeout(toScenario(scenario), timeout_secs),
  } satisfies EffectiveScenario;
}, EffectiveScenario);
