import { z } from 'zod';
import { canonicalJson, compareTexts, defined, groupBy, isJsonObject, type Json, median, omit } from '#lib';
import type { AgentWork } from './records/agent-work.js';
import { Cell } from './records/cell.js';
import { ToolDefinitions } from './records/mcp-events.js';

const Side = z.object({
  tokens: z.number().nullable().describe('Median of the known ones; null: none is known'),
  runs: z.int().describe('Runs of which the size is known'),
  unknown: z.int().describe('Runs of which it is not'),
});

/** The tokens that a subject adds to an agent's context before the first turn. */
export const SubjectTokens = Cell.pick({ agent: true, model: true }).extend({
  added: z.array(z.string()).describe('Parts of the subject that only head has, like `skill pdf`'),
  removed: z.array(z.string()).describe('Parts that only base has; a part with another content is in both lists'),
  difference: z
    .number()
    .nullable()
    .describe('Tokens of head minus tokens of base: the median over scenarios; null: unknown'),
  mcp_tools: ToolDefinitions.exactOptional().describe(
    'The tools of its MCP servers, of which the most were seen; absent: none. Some agents tell the model only names at first',
  ),
  scenarios: z
    .array(
      Cell.pick({ scenario: true, variant: true }).extend({
        base: Side.describe('First requests of base'),
        head: Side.describe('First requests of head'),
        comparable: z
          .boolean()
          .describe('Whether nothing else differs between the sides that may change the first request'),
        difference: z
          .number()
          .nullable()
          .describe('Difference of these medians; null: one is unknown, or they are not comparable'),
      }),
    )
    .describe('The scenarios, each with the size of its first requests to the model'),
});
export type SubjectTokens = z.infer<typeof SubjectTokens>;

/** The runs of a scenario's variant with an agent and a model on two sides that differ in the subject. */
export interface SubjectSides extends Pick<Cell, 'scenario' | 'variant' | 'agent' | 'model'> {
  added: string[];
  removed: string[];
  /** True if nothing else differs that may change the first request, such as the prompt. */
  comparable: boolean;
  /** Tokens of the first request of each run; null: unknown. Runs of agents that do not say are left out. */
  base: readonly (number | null)[];
  head: readonly (number | null)[];
  /** The tools of MCP servers that runs of the side with the subject were told of. */
  tools: readonly ToolDefinitions[];
}

/** Returns the first requests of runs, and the tools of MCP servers of which they were told. */
export function contextOf(works: readonly (AgentWork | null | undefined)[]) {
  return {
    sizes: works.flatMap((work) => (work?.first_request_tokens === undefined ? [] : [work.first_request_tokens])),
    tools: works.flatMap((work) => work?.mcp_tools ?? []),
  };
}

/**
 * Compares the first requests of both sides. If nothing else differs, the difference of a scenario is what the subject
 * takes. Sides that have the same subject, or no runs, are left out.
 */
export const subjectTokens = (sides: readonly SubjectSides[]): SubjectTokens[] =>
  groupBy(
    sides.filter(
      ({ added, removed, base, head, tools }) =>
        added.length + removed.length > 0 && base.length + head.length + tools.length > 0,
    ),
    keyOf,
  )
    .map(togetherOf)
    .sort((a, b) => compareTexts(keyOf(a), keyOf(b)));

const nameOf = ({ scenario, variant }: Pick<Cell, 'scenario' | 'variant'>): string =>
  JSON.stringify([scenario, variant]);

const keyOf = ({
  agent,
  model,
  added,
  removed,
}: Pick<SubjectTokens, 'agent' | 'model' | 'added' | 'removed'>): string =>
  JSON.stringify([agent, model, added, removed]);

function togetherOf(sides: readonly SubjectSides[]): SubjectTokens {
  const [first] = sides;
  if (first === undefined) throw new Error('a group has at least one member');
  const { agent, model, added, removed } = first;
  const scenarios = sides
    .map(({ scenario, variant, comparable, ...of }) => {
      const [base, head] = [sideOf(of.base), sideOf(of.head)];
      const difference = comparable && base.tokens !== null && head.tokens !== null ? head.tokens - base.tokens : null;
      return { scenario, variant, base, head, comparable, difference };
    })
    .sort((a, b) => compareTexts(nameOf(a), nameOf(b)));
  const difference = median(scenarios.flatMap((one) => one.difference ?? []));
  const [tools] = sides.flatMap((side) => side.tools).sort((a, b) => b.bytes - a.bytes || b.count - a.count);
  return {
    agent,
    model,
    added,
    removed,
    difference,
    ...defined({ mcp_tools: tools }),
    scenarios,
  };
}

function sideOf(sizes: readonly (number | null)[]): z.infer<typeof Side> {
  const known = sizes.filter((size) => size !== null);
  return { tokens: median(known), runs: known.length, unknown: sizes.length - known.length };
}

/**
 * Parts of scenario.json besides the subject that cannot change what an agent sends first: checks, judgment, and what
 * is run how often.
 */
const OF_FILE = ['subject', 'judge', 'asked', 'checks'] as const;
const OF_SCENARIO = [
  ...(['subject', 'baseline', 'checks', 'judgment'] as const),
  ...(['description', 'tier', 'tags', 'agents', 'repeat', 'cost'] as const),
] as const;
const OF_STEP = ['gates', 'turn_gates'] as const;

/**
 * Returns what may change the first request of an agent besides the subject, as text: everything in scenario.json that
 * is not known to be without effect on it.
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
