import { z } from 'zod';
import { agentScript, script } from './types/scripts.js';
import { commandCalled, commandNotCalled, maxCommands } from './types/commands-of-agent.js';
import {
  commandExitCodeIs,
  commandJsonPath,
  commandOutputContains,
  commandOutputMatches,
  commandSucceeds,
} from './types/commands.js';
import { hookRan, subagentUsed } from './types/extensions.js';
import { contextRetention } from './types/context-retention.js';
import { conversationFlow, conversationLength } from './types/conversation.js';
import { executionTime, maxCostUsd, maxTokens, tokenCount } from './types/usage.js';
import { fileContains, fileEquals, fileExists, fileMatches } from './types/files.js';
import type { CheckedUse, Gate, GateContext, Verdict } from './gate.js';
import { llmJudge } from './types/llm-judge.js';
import { mcpNoErrors, mcpToolCalled, mcpToolNotCalled } from './types/mcp.js';
import { noTranscriptErrors } from './types/no-transcript-errors.js';
import { regexMatch, responseContains, responseMatches, stringContains } from './types/response.js';
import { skillNotUsed, skillUsed } from './types/skills.js';
import { stepCount, toolCalled, trajectoryContainsAction } from './types/tool-calls.js';
import { stepRewards, verifier } from './types/verifier.js';
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
  subagentUsed,
  hookRan,
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
  verifier,
  stepRewards,
] as const;

const schemasOf = <const T extends readonly Gate<z.ZodType>[]>(all: T) =>
  all.map(({ schema }) => schema) as { -readonly [K in keyof T]: T[K]['schema'] };

const typeOf = (gate: (typeof gates)[number]) => gate.schema.shape.type.value;

/** The names of all gates, in the order of the table. */
export const gateTypes = gates.map(typeOf);

/** A gate as a scenario declares it. */
export const GateSpec = z.discriminatedUnion('type', schemasOf(gates), {
  error: ({ input }) => {
    if (typeof input !== 'object' || input === null) return 'expected a gate: a map with a type and its fields';
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
export const checkGate = (spec: GateSpec, context: GateContext): Promise<Verdict> => gateOf(spec).check(spec, context);

/** The number of answers of a model that the check asks for. */
export const modelAnswersOf = (spec: GateSpec): number => gateOf(spec).asks?.(spec) ?? 0;

/** The part of the subject whose use the gate checks; null for other gates. */
export const checkedUse = (spec: GateSpec): CheckedUse | null => gateOf(spec).checksUse?.(spec) ?? null;

/** True if the check runs no command and asks no model, so that it finishes quickly. */
export const isQuickGate = (spec: GateSpec): boolean =>
  !('command' in spec) && !('script' in spec) && modelAnswersOf(spec) === 0;

/** A few words for summaries that name what a gate checks, on one line. */
export const gateSubject = (spec: GateSpec): string => gateOf(spec).subject(spec).trim().replace(/\s+/g, ' ');

/** True if later steps are not performed unless the gate passes. */
export const stopsSteps = (spec: GateSpec): boolean => spec.type === 'verifier' && spec.stops === true;
