import { isJsonObject } from '../../lib/json.js';
import { scenarioLabel } from '../records/cell-label.js';
import { partsOnlyIn, subjectParts, type SubjectPart } from '../subject-parts.js';
import { subjectTokens, type SubjectTokens } from '../subject-tokens.js';
import type { SweepInputs } from './changes.js';
import type { Configuration } from './document.js';
import type { Pair, Sample } from './samples.js';

type Scenarios = Pick<SweepInputs, 'scenarios'>;

/** Returns what the subjects of head add to the context in comparison with those of base. */
export const comparedSubjects = (base: Scenarios, head: Scenarios, pairs: readonly Pair[]): SubjectTokens[] =>
  subjectTokens(
    pairs.map((pair) => {
      const { configuration } = pair.head;
      const [before, after] = [partsOf(base, configuration), partsOf(head, configuration)];
      return {
        ...configuration,
        added: partsOnlyIn(after, before),
        removed: partsOnlyIn(before, after),
        base: sizesOf(pair.base.samples),
        head: sizesOf(pair.head.samples),
      };
    }),
  );

function partsOf({ scenarios }: Scenarios, configuration: Configuration): SubjectPart[] {
  const scenario = scenarios.get(scenarioLabel(configuration));
  return subjectParts(isJsonObject(scenario) ? scenario['subject'] : undefined);
}

/** The first requests of the runs; those of agents that do not say are left out. */
const sizesOf = (samples: readonly Sample[]): (number | null)[] =>
  samples.flatMap(({ metrics }) => {
    const tokens = metrics?.agent_work?.first_request_tokens;
    return tokens === undefined ? [] : [tokens];
  });
