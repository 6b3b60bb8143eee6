import { canonicalJson, isJsonObject, ownValue, groupBy } from '#lib';
import {
  contextInputs,
  contextOf,
  partsOnlyIn,
  scenarioLabel,
  type SubjectPart,
  subjectParts,
  subjectTokens,
  type SubjectTokens,
  type ToolDefinitions,
  type Cell,
  type Metrics,
  type Outcome,
  type SubjectSides,
} from '#model';
import type { SweepInputs } from './changes.js';
import type { Configuration } from './document.js';
import type { Arm, Pair, Sample } from './arms.js';
import type { Combined } from '../by-parameter.js';

type Inputs = Pick<SweepInputs, 'scenarios' | 'agents' | 'runInputs'>;

/** Returns what the subjects of head add to the context in comparison with those of base. */
export const comparedSubjects = (base: Inputs, head: Inputs, pairs: readonly Pair[]): SubjectTokens[] =>
  subjectTokens(
    pairs.map((pair) => {
      const { configuration } = pair.head;
      const [before, after] = [partsOf(base, configuration), partsOf(head, configuration)];
      const [added, removed] = [partsOnlyIn(after, before), partsOnlyIn(before, after)];
      const [old, now] = [contextIn(pair.base.samples), contextIn(pair.head.samples)];
      return {
        ...configuration,
        added,
        removed,
        comparable: isAlike(base, head, pair),
        base: old.sizes,
        head: now.sizes,
        tools: added.length > 0 ? toolsOf(after, added, now) : toolsOf(before, removed, old),
      };
    }),
  );

function partsOf({ scenarios }: Inputs, configuration: Configuration): SubjectPart[] {
  const scenario = scenarios.get(scenarioLabel(configuration));
  return subjectParts(isJsonObject(scenario) ? scenario['subject'] : undefined);
}

/**
 * True if nothing else differs that may change the first request: the inputs of the scenario, the agent and where it
 * ran.
 */
function isAlike(base: Inputs, head: Inputs, { base: before, head: after }: Pair): boolean {
  const { configuration } = after;
  const inputsOf = ({ scenarios, agents }: Inputs): string =>
    canonicalJson([
      contextInputs(scenarios.get(scenarioLabel(configuration)) ?? null),
      ownValue(agents, configuration.agent) ?? null,
    ]);
  const factsOf = ({ runInputs }: Inputs, { samples }: Arm): string => {
    const facts = samples.map(({ results_dir }) => runInputs.get(results_dir ?? ''));
    const known = facts.map((one) => canonicalJson([one?.agent_version, one?.model_used, one?.environment]));
    return canonicalJson([...new Set(known)].sort());
  };
  const isTested = before.samples.length > 0 && after.samples.length > 0;
  return inputsOf(base) === inputsOf(head) && (!isTested || factsOf(base, before) === factsOf(head, after));
}

/**
 * The tools that only one side has. They are recorded of all servers together, so all of them must be among these
 * parts.
 */
const toolsOf = (
  parts: readonly SubjectPart[],
  only: readonly string[],
  { tools }: ReturnType<typeof contextIn>,
): ToolDefinitions[] => (parts.every(({ name, isServer }) => !isServer || only.includes(name)) ? tools : []);

const contextIn = (samples: readonly Sample[]) => contextOf(samples.map(({ metrics }) => metrics?.agent_work));

/** A cell with what its run recorded; null: no run yet. */
export interface MeasuredCell extends Omit<Cell, 'id' | 'repetition'> {
  outcome: Outcome | null;
  metrics: Pick<Metrics, 'agent_work'> | null;
}

/** Returns what subjects add to the context in a sweep that has variants with a subject, and the same without. */
export function addedTokens(variants: readonly Combined[], cells: readonly MeasuredCell[]): SubjectTokens[] {
  if (variants.every(({ subject }) => subject === undefined)) return [];
  const groups = groupBy(cells, ({ scenario, agent, model }) => JSON.stringify([scenario, agent, model]));
  const byScenario = new Map(groupBy(variants, ({ name }) => name).map((all) => [all[0]?.name, all]));
  return subjectTokens(
    groups.flatMap((group) => {
      const ofScenario = byScenario.get(group[0]?.scenario) ?? [];
      return ofScenario.flatMap((one) => sidesOf(group, one));
    }),
  );
}

function sidesOf(cells: readonly MeasuredCell[], { variant, subject }: Combined): SubjectSides[] {
  const [first] = cells;
  if (first === undefined || subject === undefined) return [];
  const context = (name: string) =>
    contextOf(
      cells
        .filter((cell) => cell.variant === name && (cell.outcome === 'pass' || cell.outcome === 'fail'))
        .map(({ metrics }) => metrics?.agent_work),
    );
  const { sizes, tools } = context(variant);
  const { scenario, agent, model } = first;
  const of = { scenario, variant, agent, model, added: subject.parts, removed: [], comparable: true };
  return [{ ...of, base: context(subject.without).sizes, head: sizes, tools }];
}
