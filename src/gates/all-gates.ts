import { z } from 'zod';
import { agentScript } from './types/agent-script.js';
import { commandCalled } from './types/command-called.js';
import { commandExitCodeIs } from './types/command-exit-code-is.js';
import { commandJsonPath } from './types/command-json-path.js';
import { commandNotCalled } from './types/command-not-called.js';
import { commandOutputContains } from './types/command-output-contains.js';
import { commandOutputMatches } from './types/command-output-matches.js';
import { commandSucceeds } from './types/command-succeeds.js';
import { contextRetention } from './types/context-retention.js';
import { conversationFlow } from './types/conversation-flow.js';
import { conversationLength } from './types/conversation-length.js';
import { executionTime } from './types/execution-time.js';
import { fileContains } from './types/file-contains.js';
import { fileEquals } from './types/file-equals.js';
import { fileExists } from './types/file-exists.js';
import { fileMatches } from './types/file-matches.js';
import type { CheckedUse, Gate, GateContext, Verdict } from './gate.js';
import { llmJudge } from './types/llm-judge.js';
import { maxCommands } from './types/max-commands.js';
import { maxCostUsd } from './types/max-cost-usd.js';
import { maxTokens } from './types/max-tokens.js';
import { mcpNoErrors } from './types/mcp-no-errors.js';
import { mcpToolCalled } from './types/mcp-tool-called.js';
import { mcpToolNotCalled } from './types/mcp-tool-not-called.js';
import { noTranscriptErrors } from './types/no-transcript-errors.js';
import { regexMatch } from './types/regex-match.js';
import { responseContains } from './types/response-contains.js';
import { responseMatches } from './types/response-matches.js';
import { script } from './types/script.js';
import { skillNotUsed } from './types/skill-not-used.js';
import { skillUsed } from './types/skill-used.js';
import { stepCount } from './types/step-count.js';
import { stringContains } from './types/string-contains.js';
import { tokenCount } from './types/token-count.js';
import { toolCalled } from './types/tool-called.js';
import { trajectoryContainsAction } from './types/trajectory-contains-action.js';
import { userSatisfaction } from './types/user-satisfaction.js';

/** All kinds of gates. To add one, add a file in `types/` and a line here. */
const gates = [
  commandSucceeds,
  commandExitCodeIs,
  commandOutputContains,
  commandOutputMatches,
  commandJsonPath,
  fileExists,
  fileContains,
  fileMatches,
  fileEquals,
  noTranscriptErrors,
  commandCalled,
  commandNotCalled,
  toolCalled,
  mcpToolCalled,
  mcpToolNotCalled,
  mcpNoErrors,
  skillUsed,
  skillNotUsed,
  trajectoryContainsAction,
  stepCount,
  maxCommands,
  maxCostUsd,
  maxTokens,
  tokenCount,
  executionTime,
  responseContains,
  stringContains,
  responseMatches,
  regexMatch,
  llmJudge,
  conversationLength,
  conversationFlow,
  userSatisfaction,
  contextRetention,
  script,
  agentScript,
] as const;

const schemasOf = <const T extends readonly Gate<z.ZodType>[]>(all: T) =>
  all.map(({ schema }) => schema) as { -readonly [K in keyof T]: T[K]['schema'] };

const typeOf = (gate: (typeof gates)[number]) => gate.schema.shape.type.value;

/** The names of all gates, in the order of the table. */
export const gateTypes = gates.map(typeOf);

/** A gate as a scenario declares it. */
export const GateSpec = z.discriminatedUnion('type', schemasOf(gates), {
  error: ({ input }) => {
    if (typeof input !== 'object' || input === null)
      return 'expected a gate: a map with a type and its fields';
    const found = 'type' in input ? `unknown gate ${JSON.stringify(input.type)}` : 'missing';
    return `${found}: expected ${gateTypes.join(' | ')}`;
  },
});
export type GateSpec = z.infer<typeof GateSpec>;

function gateOf(spec: GateSpec): Gate<z.ZodType<GateSpec>> {
  const gate = gates.find((candidate) => typeOf(candidate) === spec.type);
  if (gate === undefined) throw new Error(`unknown gate type ${spec.type}`);
  // The compiler accepts this because method parameters are bivariant. It is correct because the types are equal.
  return gate;
}

/** Performs one check. Rejects only if the context does, that is, if the harness itself fails. */
export const checkGate = (spec: GateSpec, context: GateContext): Promise<Verdict> =>
  gateOf(spec).check(spec, context);

/** How many answers of a model the check asks for. */
export const answersAsked = (spec: GateSpec): number => gateOf(spec).asks?.(spec) ?? 0;

/** The part of the subject whose use the gate checks; null for other gates. */
export const checkedUse = (spec: GateSpec): CheckedUse | null => gateOf(spec).checksUse?.(spec) ?? null;

/** True if the check runs no command and asks no model, so that it finishes quickly. */
export const isQuickGate = (spec: GateSpec): boolean =>
  !('command' in spec) && !('script' in spec) && answersAsked(spec) === 0;

/** A few words for summaries that name what a gate checks, on one line. */
export const gateSubject = (spec: GateSpec): string => gateOf(spec).subject(spec).trim().replace(/\s+/g, ' ');
