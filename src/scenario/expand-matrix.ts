import { none } from '#agents';
import { MAX_CELLS, ownValue, UsageError } from '#lib';
import type { Cell } from '#model';
import type { Scenario } from './scenario.js';

/** The parts of a scenario that determine its cells. Scenario names must be unique: cell ids begin with them. */
export interface MatrixScenario extends Pick<Scenario, 'name' | 'repeat' | 'mock'> {
  /** False if no agent takes part: then there is one cell for each variant and repetition. */
  needsAgent: boolean;
  /** The variants to run, each with the agents that it names. */
  variants: readonly { variant: string; agents: Scenario['agents'] }[];
}

/** Choices from the command line, the profile and the config. An empty list means no choice. */
export interface MatrixChoice {
  flags: { agents?: readonly string[]; models?: readonly string[]; repeat?: number };
  profile: { agents: readonly string[]; models: readonly string[] } | null;
  /** Agents to use if no flag, scenario or profile names one. */
  defaultAgents?: readonly string[];
  /** The models that the config lists for each agent, used if nothing else names a model. */
  agentModels: Readonly<Record<string, readonly string[]>>;
}

/** The cells (by scenario, variant, agent, model and repetition), and the names of scenarios without an agent. */
export interface Expansion {
  cells: Cell[];
  withoutAgent: string[];
}

interface Pairing {
  agent: string;
  model: string;
}

/**
 * Lists the cells of a sweep. Flags override the scenario's own agents, which override the profile, which overrides the
 * config.
 *
 * @throws UsageError if there are more than `MAX_CELLS`
 */
export function expandMatrix(scenarios: readonly MatrixScenario[], choice: MatrixChoice): Expansion {
  const expansion: Expansion = { cells: [], withoutAgent: [] };
  for (const scenario of scenarios) {
    const repeat = choice.flags.repeat ?? scenario.repeat;
    for (const { variant, agents } of scenario.variants) {
      const pairings = pairingsOf({ ...scenario, agents }, choice);
      if (pairings.length === 0 && !expansion.withoutAgent.includes(scenario.name))
        expansion.withoutAgent.push(scenario.name);
      if (expansion.cells.length + pairings.length * repeat > MAX_CELLS)
        throw new UsageError(
          'usage',
          `more than ${MAX_CELLS} cells; ask for fewer repetitions, agents, models or variants`,
        );
      for (const { agent, model } of pairings) {
        for (let repetition = 1; repetition <= repeat; repetition += 1) {
          expansion.cells.push(cellOf({ scenario: scenario.name, agent, model, variant, repetition }));
        }
      }
    }
  }
  return expansion;
}

/** `notes/claude-code/anthropic%2Fopus/default/1` */
const cellId = ({ scenario, agent, model, variant, repetition }: Omit<Cell, 'id'>): string =>
  [scenario, agent, model, variant, String(repetition)].map(encodeURIComponent).join('/');

/** Returns the cell at a point of the matrix. */
export const cellOf = (point: Omit<Cell, 'id'>): Cell => ({ id: cellId(point), ...point });

/** The agent and the model of a cell in which no agent takes part. */
const NO_AGENT: Readonly<Pairing> = { agent: none.name, model: 'none' };

function pairingsOf(
  { agents, mock, needsAgent }: Omit<MatrixScenario, 'variants'> & Pick<Scenario, 'agents'>,
  { flags, profile, defaultAgents, agentModels }: MatrixChoice,
): Pairing[] {
  const named = (models: readonly string[] | undefined, agent: string): readonly string[] =>
    [flags.models, models, ownValue(agentModels, agent) ?? []].find(isGiven) ?? ['default'];
  const withModels = (agents: readonly string[]): Pairing[] =>
    agents.flatMap((agent) => named(profile?.models, agent).map((model) => ({ agent, model })));

  if (!needsAgent) return [NO_AGENT];
  if (isGiven(flags.agents)) return unique(withModels(flags.agents));
  if (agents.length > 0) {
    return unique(agents.flatMap(({ agent, models }) => named(models, agent).map((model) => ({ agent, model }))));
  }
  if (isGiven(profile?.agents)) return unique(withModels(profile.agents));
  if (isGiven(defaultAgents)) return unique(withModels(defaultAgents));
  return mock !== undefined && mock.steps.length > 0 ? unique(withModels(['mock'])) : [];
}

const isGiven = (list: readonly string[] | undefined): list is readonly string[] =>
  list !== undefined && list.length > 0;

const unique = (pairings: readonly Pairing[]): Pairing[] => [
  ...new Map(pairings.map((pairing) => [JSON.stringify([pairing.agent, pairing.model]), pairing])).values(),
];
