import type { Cell } from '../results/records/cell.js';
import type { Scenario } from './scenario.js';

/** What of a scenario decides on its cells. Names must differ between scenarios: they are the first part of an id. */
export interface MatrixScenario extends Pick<Scenario, 'name' | 'agents' | 'repeat' | 'mock'> {
  /** Names of the variants to be run. */
  variants: readonly string[];
}

/** What the command line, the profile and the config say. An empty list says nothing. */
export interface MatrixChoice {
  flags: { agents?: readonly string[]; models?: readonly string[]; repeat?: number };
  profile: { agents: readonly string[]; models: readonly string[] } | null;
  /** The agent where neither flag, scenario nor profile names one. */
  defaultAgents?: readonly string[];
  /** The models that the config lists for an agent, used where nothing else names one. */
  agentModels: Readonly<Record<string, readonly string[]>>;
}

/** The cells in the order of scenarios, variants, agents, models, repetitions; and the scenarios that name no agent at all. */
export interface Expansion {
  cells: Cell[];
  withoutAgent: string[];
}

interface Pairing {
  agent: string;
  model: string;
}

/** Flags win over the scenario's own agents, that over the profile, that over the config. */
export function expandMatrix(scenarios: readonly MatrixScenario[], choice: MatrixChoice): Expansion {
  const expansion: Expansion = { cells: [], withoutAgent: [] };
  for (const scenario of scenarios) {
    const pairings = pairingsOf(scenario, choice);
    const repeat = choice.flags.repeat ?? scenario.repeat;
    if (pairings.length === 0) expansion.withoutAgent.push(scenario.name);
    for (const variant of scenario.variants) {
      for (const { agent, model } of pairings) {
        for (let repetition = 1; repetition <= repeat; repetition += 1) {
          expansion.cells.push(cell({ scenario: scenario.name, agent, model, variant, repetition }));
        }
      }
    }
  }
  return expansion;
}

/** `notes/claude-code/anthropic%2Fopus/default/1` */
const cellId = ({ scenario, agent, model, variant, repetition }: Omit<Cell, 'id'>): string =>
  [scenario, agent, model, variant, String(repetition)].map(encodeURIComponent).join('/');

const cell = (point: Omit<Cell, 'id'>): Cell => ({ id: cellId(point), ...point });

function pairingsOf(
  { agents, mock }: MatrixScenario,
  { flags, profile, defaultAgents, agentModels }: MatrixChoice,
): Pairing[] {
  const named = (models: readonly string[] | undefined, agent: string): readonly string[] =>
    [flags.models, models, Object.hasOwn(agentModels, agent) ? agentModels[agent] : []].find(isGiven) ?? [
      'default',
    ];
  const withModels = (agents: readonly string[]): Pairing[] =>
    agents.flatMap((agent) => named(profile?.models, agent).map((model) => ({ agent, model })));

  if (isGiven(flags.agents)) return unique(withModels(flags.agents));
  if (agents.length > 0) {
    return unique(
      agents.flatMap(({ agent, models }) => named(models, agent).map((model) => ({ agent, model }))),
    );
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
