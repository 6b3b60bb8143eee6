import { z } from 'zod';
import { nonBlank } from '#input';
import { defined, isJsonObject, type Json } from '#lib';
import { conversationText, type Trajectory, type Turn, UNREAD } from '#model';
import {
  answerSchema,
  askingFields,
  BOOLEAN,
  isMajority,
  meanOf,
  NUMBER,
  onceProblem,
  readAnswer,
  shareProblem,
} from '../asking.js';
import { checkTrajectory } from '../check-trajectory.js';
import { defineGate, type GateQuestion, type Verdict } from '../gate.js';
import { compileJsonSchema } from '../json/json-schema.js';
import { broken, fail, pass, quotedText } from '../verdicts.js';

const Capability = z.object({ capability: z.string(), reasoning: z.string(), achieved: z.boolean() });

const Answer = z.object({
  qualitative_summary: z.string(),
  capability_checklist: z.array(Capability),
  confidence: z.number(),
  overall_success: z.boolean(),
});
export type JudgeVote = z.infer<typeof Answer>;

/**
 * The condition for an answer to count for the gate: its `overall_success` is this, or its confidence is within these
 * bounds.
 */
export type Expected = { success: boolean } | { min: number; max: number };

const NUMBER_TEXT = String.raw`(\d+(?:\.\d+)?|\.\d+)`;
const AT_LEAST = new RegExp(`^${NUMBER_TEXT}\\+$`);
const AT_MOST = new RegExp(`^${NUMBER_TEXT}-$`);
const BETWEEN = new RegExp(`^${NUMBER_TEXT} *- *${NUMBER_TEXT}$`);

/**
 * Reads `expected`: "yes", "no", or confidences like "0.8+", "0.3-", "0.8-1.0". Any other text is the answer that is
 * expected.
 */
export function parseExpected(text = 'yes'): Expected {
  const word = text.trim().toLowerCase();
  const [, least] = AT_LEAST.exec(word) ?? [];
  if (least !== undefined) return { min: Number(least), max: 1 };
  const [, most] = AT_MOST.exec(word) ?? [];
  if (most !== undefined) return { min: 0, max: Number(most) };
  const [, min, max] = BETWEEN.exec(word) ?? [];
  if (min !== undefined && max !== undefined) return { min: Number(min), max: Number(max) };
  return { success: word !== 'no' };
}

/** True if `expected` is only a rule, and says nothing about the content of the answer. */
const isRule = (text: string): boolean => 'min' in parseExpected(text) || /^(yes|no)$/i.test(text.trim());

const countsFor = (expected: Expected, { overall_success, confidence }: JudgeVote): boolean =>
  'success' in expected
    ? overall_success === expected.success
    : confidence >= expected.min && confidence <= expected.max;

/** Expectations other than success, in words. */
function expectation(expected: Expected): string[] {
  if ('success' in expected) return expected.success ? [] : ['expected: not successful'];
  const { min, max } = expected;
  if (max === 1) return [`expected a confidence of at least ${min}`];
  return [`expected a confidence ${min === 0 ? `of at most ${max}` : `from ${min} to ${max}`}`];
}

/** Returns why an answer contradicts itself or is not one to the question. Null if it can be used. */
export function voteProblem(capabilities: readonly string[], vote: JudgeVote): string | null {
  const problem = shareProblem('confidence', vote.confidence);
  if (problem !== null || capabilities.length === 0) return problem;
  const { capability_checklist: checklist } = vote;
  const once = onceProblem(
    capabilities,
    checklist.map(({ capability }) => capability),
  );
  if (once !== null) return `capability_checklist: ${once}`;
  return vote.overall_success === checklist.every(({ achieved }) => achieved)
    ? null
    : 'overall_success: expected true if every capability is achieved, else false';
}

/** Judges by the majority of the votes; a tie fails. */
export function judgeVotes(
  { capabilities, expected }: { capabilities: readonly string[]; expected: Expected },
  votes: readonly JudgeVote[],
): Verdict {
  const passed = isMajority(votes.map((vote) => countsFor(expected, vote)));
  const overall_success = isMajority(votes.map((vote) => vote.overall_success));
  const capability_checklist = capabilities.map((capability) => {
    const answers = votes.flatMap((vote) => vote.capability_checklist.filter((one) => one.capability === capability));
    const achieved = isMajority(answers.map((one) => one.achieved));
    const reasoning = answers.find((one) => one.achieved === achieved)?.reasoning ?? '';
    return { capability, achieved, reasoning };
  });
  const spokesman = votes.find((vote) => countsFor(expected, vote) === passed) ?? votes[0];
  const qualitative_summary = spokesman?.qualitative_summary ?? '';
  const confidence = meanOf(votes.map((vote) => vote.confidence));
  const lacking = capability_checklist.filter(({ achieved }) => !achieved);
  const message = [
    `${overall_success ? 'successful' : 'not successful'}, confidence ${confidence}`,
    ...expectation(expected),
    ...(votes.length === 1
      ? []
      : [`${votes.filter((vote) => countsFor(expected, vote)).length} of ${votes.length} votes`]),
    ...(lacking.length === 0 ? [] : [`not achieved: ${lacking.map((one) => quotedText(one.capability)).join(', ')}`]),
    qualitative_summary,
  ].join('; ');
  return {
    ...(passed ? pass(message) : fail(message)),
    detail: {
      qualitative_summary,
      capability_checklist,
      confidence,
      overall_success,
      ...(votes.length === 1 ? {} : { votes: votes.map((vote) => vote.overall_success) }),
    },
  };
}

interface Criteria {
  prompt: string;
  expected?: string | undefined;
  capabilities?: string[] | undefined;
}

function instructionsOf({ prompt, expected, capabilities = [] }: Criteria): string {
  return [
    'You are the judge of a test run. Decide whether what an agent said and did meets this criterion:',
    '',
    prompt,
    '',
    ...(expected === undefined || isRule(expected) ? [] : ['The answer that is expected:', '', expected, '']),
    ...(capabilities.length === 0
      ? [
          'overall_success is true if the criterion is met. If it is a question, overall_success is true if its answer is yes. capability_checklist is empty.',
        ]
      : [
          'Say for each of these capabilities whether the agent has shown it; overall_success is true if it has shown all of them:',
          ...capabilities.map((capability) => `- ${capability}`),
        ]),
    'Confidence is how sure you are, from 0 to 1, that the criterion is met.',
    'What the agent says of its own work is a claim, not evidence.',
  ].join('\n');
}

const exampleOf = ({ capabilities = [] }: Criteria): Record<string, Json> => ({
  qualitative_summary: 'your judgment in one or two sentences',
  capability_checklist: capabilities.map((capability) => ({
    capability,
    reasoning: 'why, in a sentence',
    achieved: BOOLEAN,
  })),
  confidence: NUMBER,
  overall_success: BOOLEAN,
});

/** The evidence: the answer, and what led to it. */
function evidenceOf(
  { answer, isOutput, commands, tools, structured, unseen }: Trajectory,
  turns: readonly Turn[],
): Record<string, string> {
  const called = Object.entries(tools).map(([name, calls]) => `${name}: ${calls}`);
  const ran = commands.map(({ whole }) => whole);
  return {
    ...(isOutput === true
      ? { 'output of the command': answer ?? '' }
      : { 'final answer of the agent': answer ?? '(the agent gave no answer)' }),
    ...(turns.length > 0 ? { conversation: conversationText(turns) } : {}),
    ...(called.length > 0 ? { 'tools that the agent called, and how often': called.join('\n') } : {}),
    ...(ran.length > 0
      ? {
          [`commands that the agent ran${structured && (unseen?.calls ?? unseen?.doubt) === undefined ? '' : ', as far as known'}`]:
            ran.join('\n'),
        }
      : {}),
  };
}

const STANDARD = answerSchema(Answer);
const objectAt = (schema: Record<string, Json>, key: string): Record<string, Json> => {
  const value = schema[key];
  return isJsonObject(value) ? value : {};
};

/** The schema for the request: the standard fields, and those of the scenario's schema. */
export function requestSchema(own: Record<string, Json> | undefined): Record<string, Json> {
  if (own === undefined) return STANDARD;
  const properties = { ...objectAt(STANDARD, 'properties'), ...objectAt(own, 'properties') };
  const required = Array.isArray(own['required']) ? own['required'] : [];
  return {
    ...own,
    type: 'object',
    properties,
    required: [...new Set([...required, ...Object.keys(objectAt(STANDARD, 'properties'))])],
  };
}

/** Returns why a scenario's schema cannot be used for the answer; null if it can. */
function schemaProblem(own: Record<string, Json>): string | null {
  const compiled = compileJsonSchema(own);
  if (!compiled.ok) return `expected a JSON schema: ${compiled.message}`;
  if (own['type'] !== undefined && own['type'] !== 'object')
    return 'expected type: object, since the answer is an object';
  if (own['additionalProperties'] !== false) return null;
  const forbidden = Object.keys(objectAt(STANDARD, 'properties')).filter(
    (name) => !Object.hasOwn(objectAt(own, 'properties'), name),
  );
  return forbidden.length === 0
    ? null
    : `additionalProperties: false forbids ${forbidden.join(', ')}, which every answer has; allow them`;
}

/** Parses an answer, which must have the standard fields and fit the scenario's schema. */
function readVote(
  capabilities: readonly string[],
  own: Record<string, Json> | undefined,
): GateQuestion<JudgeVote>['read'] {
  const standard = readAnswer(Answer, (vote) => voteProblem(capabilities, vote));
  const compiled = own === undefined ? null : compileJsonSchema(own);
  return (answer) => {
    const misfit = compiled?.ok === true ? compiled.problemOf(answer) : null;
    return misfit === null ? standard(answer) : { ok: false, problem: `json_schema: ${misfit}` };
  };
}

export const llmJudge = defineGate({
  schema: z
    .strictObject({
      type: z.literal('llm_judge'),
      ...askingFields,
      prompt: nonBlank('the criterion').describe(
        'What the agent must have said or done, or a question whose answer must be yes',
      ),
      expected: nonBlank('yes, no, or the answer that is expected', (text) => {
        const expected = parseExpected(text);
        return 'min' in expected && (expected.max > 1 || expected.min > expected.max)
          ? 'expected a confidence from 0 to 1, like "0.8+", "0.3-" or "0.8-1.0"'
          : null;
      })
        .optional()
        .describe(
          '`yes` (the default), `no`, a confidence like `0.8+`, `0.3-` or `0.8-1.0`, or the answer that is expected, as a text',
        ),
      capabilities: z
        .array(nonBlank('a capability'))
        .min(1)
        .refine((list) => new Set(list).size === list.length, { error: 'expected different capabilities' })
        .optional()
        .describe('What the agent must have shown; it succeeds if it has shown all of them'),
      json_schema: z
        .record(z.string(), z.json())
        .superRefine((schema, context) => {
          const message = schemaProblem(schema);
          if (message !== null) context.addIssue({ code: 'custom', message });
        })
        .optional()
        .describe('JSON schema that the answer must fit too, for example to require more fields'),
      temperature: z.number().min(0).max(2).optional().describe('Temperature, if the model accepts one'),
      model_type: z.string().optional().describe('Without effect: the model is that of the judge'),
    })
    .describe('A model judges that what the agent said and did meets the criterion'),
  subject: ({ prompt }) => prompt,
  asks: ({ votes }) => votes,
  check: (spec, context) =>
    checkTrajectory(context, async (trajectory) => {
      if (trajectory.unread === true) return broken(`what the agent said is unknown: ${UNREAD}`);
      const { capabilities = [], temperature } = spec;
      const turns = trajectory.isOutput === true ? [] : ((await context.turns()) ?? []);
      const votes = await context.ask({
        instructions: instructionsOf(spec),
        evidence: evidenceOf(trajectory, turns),
        example: exampleOf(spec),
        schema: requestSchema(spec.json_schema),
        read: readVote(capabilities, spec.json_schema),
        votes: spec.votes,
        timeoutSecs: spec.timeout_secs,
        ...defined({ temperature }),
      });
      return judgeVotes({ capabilities, expected: parseExpected(spec.expected) }, votes);
    }),
});
