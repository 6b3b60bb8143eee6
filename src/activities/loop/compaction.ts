import type { ModelMessage } from '#host';
import type { PlacedRequest } from './conversation.js';

/*
 * A conversation that comes near the limit of its model is replaced by a summary, which the model itself writes: a
 * request like others, without tools.
 */

/** The part of the limit that a request may take before the conversation is summarized. */
const FULL = 0.8;
/** Text has about as many characters for each token; programs and tables have fewer. */
const CHARACTERS = 3;
/** The most requests in a row that the model refuses as too long. */
const MAX_REFUSED = 4;
/** Lengths to which the results of calls are cut, until the conversation fits. */
const CUTS = [30_000, 8000, 2000, 500, 100];

/** The system prompt of a request for a summary. */
export const SUMMARY_SYSTEM =
  'You are given the conversation of an agent with its tools, which has become too long. Write the summary with which the agent continues in its place.';
/** Follows the conversation. */
export const SUMMARY_ORDER = `Summarize the conversation above for yourself: you will go on with nothing but the task and this summary.
State what has been done, with the names of files, commands and values that matter; what was found out; what failed; and what is left to do.`;

/** The requests after the last one that has summarized the conversation. */
function sinceSummary(requests: readonly PlacedRequest[]): PlacedRequest[] {
  const last = requests.findLastIndex(({ result }) => result.summarizes === true && result.answer !== null);
  return requests.slice(last + 1);
}

/**
 * Decides whether the next request summarizes the conversation. Returns the most characters that it may send of it;
 * null if it is an ordinary request. `limit`: the most tokens of the model; null if unknown.
 */
export function summaryDue(
  requests: readonly PlacedRequest[],
  messages: readonly ModelMessage[],
  limit: number | null,
): number | null {
  const since = sinceSummary(requests);
  const whole = limit === null ? lengthOf(messages) / 2 : limit * FULL * CHARACTERS;
  const refused = refusedLast(requests);
  // Each that was too long itself is followed by one of half its length.
  if (refused > 0) return whole / 2 ** (refused - 1);
  const answered = since.filter(({ result }) => result.answer !== null);
  const last = answered.at(-1);
  if (limit === null || last === undefined || answered.length < 2) return null;
  return tokensAfter(last) > limit * FULL ? whole : null;
}

/** True if a conversation that the model has refused as too long can be summarized. */
export const canSummarize = (requests: readonly PlacedRequest[]): boolean =>
  refusedLast(requests) < MAX_REFUSED && sinceSummary(requests).some(({ result }) => result.answer !== null);

/** Number of requests at the end that the model has refused as too long. */
const refusedLast = (requests: readonly PlacedRequest[]): number =>
  requests.length - 1 - requests.findLastIndex(({ result }) => result.asksAgain !== true || result.answer !== null);

/** The tokens of a request, its answer and the results of its calls: what the next request has at least. */
function tokensAfter({ result: { answer }, results }: PlacedRequest): number {
  const used = Object.values(answer?.usage ?? {}).reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const outputs = results.reduce((sum, result) => sum + (result?.result.output.length ?? 0), 0);
  return used + outputs / CHARACTERS;
}

const lengthOf = (messages: readonly ModelMessage[]): number => JSON.stringify(messages).length;

/** The message that asks for a summary, with the conversation as text of at most so many characters. */
export function summaryMessages(messages: readonly ModelMessage[], most: number): ModelMessage[] {
  const texts = CUTS.map((cut) => messages.flatMap((message) => linesOf(message, cut)).join('\n\n'));
  const text = texts.find(({ length }) => length <= most) ?? cutTo(texts.at(-1) ?? '', Math.floor(most));
  return [{ role: 'user', content: `<conversation>\n${text}\n</conversation>\n\n${SUMMARY_ORDER}` }];
}

const cutTo = (text: string, length: number): string =>
  text.length <= length
    ? text
    : `${text.slice(0, Math.ceil(length / 2))}\n(${text.length - length} characters left out)\n${text.slice(text.length - Math.floor(length / 2))}`;

function linesOf({ role, content }: ModelMessage, cut: number): string[] {
  if (typeof content === 'string') return [`${role}: ${content}`];
  return content.flatMap((part) => {
    switch (part.type) {
      case 'text':
        return [`${role}: ${part.text}`];
      case 'tool-call':
        return [`call of ${part.toolName}: ${cutTo(JSON.stringify(part.input), cut)}`];
      case 'tool-result':
        return [`result: ${cutTo(part.output.type === 'text' ? part.output.value : JSON.stringify(part.output), cut)}`];
      case 'file':
      case 'image':
      case 'reasoning':
      case 'tool-approval-request':
      case 'tool-approval-response':
        return [];
    }
  });
}
