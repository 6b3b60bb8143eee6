import { isJsonObject } from '../../lib/json.js';
import { scenarioLabel } from '../records/cell-label.js';
import type { ToolDefinitions } from '../records/agent-work.js';
import { partsOnlyIn, subjectParts, type SubjectPart } from '../subject-parts.js';
import { contextOf, subjectTokens, type SubjectTokens } from '../subject-tokens.js';
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
      const [added, removed] = [partsOnlyIn(after, before), partsOnlyIn(before, after)];
      const [old, now] = [contextIn(pair.base.samples), contextIn(pair.head.samples)];
      return {
        ...{ ...configuration, added, removed },
        ...{ base: old.sizes, head: now.sizes },
        tools: added.length > 0 ? toolsOf(after, added, now) : toolsOf(before, removed, old),
      };
    }),
  );

function partsOf({ scenarios }: Scenarios, configuration: Configuration): SubjectPart[] {
  const scenario = scenarios.get(scenarioLabel(configuration));
  return subjectParts(isJsonObject(scenario) ? scenario['subject'] : undefined);
}

/** The tools that only one side has. They are recorded of all servers together, so all of them must be among these parts. */
const toolsOf = (
  parts: readonly SubjectPart[],
  only: readonly string[],
  { tools }: ReturnType<typeof contextIn>,
): ToolDefinitions[] => (parts.every(({ name, isServer }) => !isServer || only.includes(name)) ? tools : []);

const contextIn = (samples: readonly Sample[]) =>
  contextOf(samples.map(({ metrics }) => metrics?.agent_work));
