import type { ToolResult } from '#agents';
import { type AgentAnswer, type ModelFailureKind, type ModelMessage, remembered } from '#host';
import { createLruCache, type StopReason } from '#lib';
import { STEPS } from '#model';
import { type Manifest, readStep } from '../step/run-step-once.js';
import { userMessageOf, turnsBefore } from '../agent/turns.js';
import type { RunIdentity } from '../run/context.js';

/** Result of a step that asked the model. Exactly one of `answer`, `failure` and `stopped` is not null. */
export interface LoopRequest {
  /** The system prompt, the same for all requests of the run. */
  system: string;
  /** Number of times that it was sent: again, if a worker was lost before it had stored the answer. */
  sent: number;
  answer: AgentAnswer | null;
  /** The reason why the model gave no answer. */
  failure: { kind: ModelFailureKind; message: string; status: number | null } | null;
  /** The reason why it was not asked any more. */
  stopped: Extract<StopReason, 'deadline' | 'cost'> | 'max_turns' | null;
  /** Set if it asked for a summary of the conversation, to which the answer is not part of it. */
  summarizes?: true;
  /** Set if the model is asked again, although the answer asks for no call or there is none. */
  asksAgain?: true;
}

/** A request with the results of its calls, as far as they have been performed. */
export interface PlacedRequest extends Manifest<LoopRequest> {
  step: string;
  turn: number;
  nth: number;
  results: (Manifest<ToolResult> | null)[];
}

/** The agent's work in a run until now. */
export interface Loop {
  requests: PlacedRequest[];
  /** The conversation as the model is given it. */
  messages: ModelMessage[];
}

/** The conversation that takes the place of what was summarized: the task, and the summary. */
export const summarized = (user: string, summary: string): ModelMessage[] => [
  { role: 'user', content: `${user}\n\n# Your work on this so far, as you have summarized it\n\n${summary}` },
];

/** Reads the conversation of all turns until the current one, from the results of the steps. */
export async function readLoop(context: RunIdentity): Promise<Loop> {
  const requests: PlacedRequest[] = [];
  const messages: ModelMessage[] = [];
  const earlier = await turnsBefore(context);
  for (let turn = 1; turn <= context.turn.number; turn += 1) {
    const user =
      earlier.find((step) => (step.turn?.number ?? 1) === turn)?.turn?.user ?? (await userMessageOf(context));
    messages.push({ role: 'user', content: user });
    for (let nth = 1; ; nth += 1) {
      const own = await requestsOf(context, turn, nth);
      if (own.length === 0) break;
      requests.push(...own);
      for (const request of own) {
        const { summarizes, answer } = request.result;
        if (summarizes !== true) messages.push(...messagesOf(request));
        else if (answer !== null) messages.splice(0, Infinity, ...summarized(user, answer.text));
      }
    }
  }
  return { requests, messages };
}

/** The requests of runs whose calls have all been performed, by their steps: these never change. */
const performed = remembered(() => createLruCache<Map<string, PlacedRequest>>(16));

async function requestsOf(context: RunIdentity, turn: number, nth: number): Promise<PlacedRequest[]> {
  const found: PlacedRequest[] = [];
  const known = await performed()(context.state, () => new Map());
  for (;;) {
    const step = STEPS.request(STEPS.agent(nth, turn), found.length + 1);
    const placed = known.get(step) ?? (await readRequest(context, { step, turn, nth }));
    if (placed === null) return found;
    found.push(placed);
    if (!placed.results.includes(null)) known.set(step, placed);
  }
}

async function readRequest(
  context: RunIdentity,
  place: Pick<PlacedRequest, 'step' | 'turn' | 'nth'>,
): Promise<PlacedRequest | null> {
  const request = await readStep<LoopRequest>(context, place.step);
  if (request === null) return null;
  const calls = request.result.answer?.calls ?? [];
  const results = calls.map((_, at) => readStep<ToolResult>(context, STEPS.call(place.step, at + 1)));
  return { ...request, ...place, results: await Promise.all(results) };
}

/** Returns the messages of a request and its calls. Calls that could not be read are answered in `messages`. */
function messagesOf({ result: { answer }, results }: PlacedRequest): ModelMessage[] {
  if (answer === null) return [];
  const performed = answer.calls.flatMap(({ id, name, problem }, at) => {
    const output = results[at]?.result.output;
    return problem !== null || output === undefined
      ? []
      : [
          {
            type: 'tool-result' as const,
            toolCallId: id,
            toolName: name,
            output: { type: 'text' as const, value: output },
          },
        ];
  });
  const last = answer.messages.at(-1);
  if (performed.length === 0) return answer.messages;
  if (last?.role !== 'tool') return [...answer.messages, { role: 'tool', content: performed }];
  // All results of an answer belong to one message.
  return [...answer.messages.slice(0, -1), { role: 'tool', content: [...last.content, ...performed] }];
}

/** The requests of one run of the agent in a turn. */
export const requestsIn = ({ requests }: Loop, turn: number, nth: number): PlacedRequest[] =>
  requests.filter((request) => request.turn === turn && request.nth === nth);

/** Number of calls that were asked for in these requests. */
export const callsIn = (requests: readonly PlacedRequest[]): number =>
  requests.reduce((sum, { result }) => sum + (result.answer?.calls.length ?? 0), 0);

/** The time that the agent has worked in a turn, in ms. */
export const workedMs = (requests: readonly PlacedRequest[], turn: number): number =>
  requests
    .filter((request) => request.turn === turn)
    .reduce(
      (sum, { duration_ms, results }) =>
        sum + duration_ms + results.reduce((all, result) => all + (result?.duration_ms ?? 0), 0),
      0,
    );
