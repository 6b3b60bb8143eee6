import { type EventBody, type TokenUsage, unlessZero } from '#model';
import type { AgentEnd } from '../agent.js';

/** Statuses below 500 that do not mean that the request itself is wrong. */
const RETRYABLE = new Set([408, 409, 425, 429]);

/** True if a provider that returned this status may serve the same request at another time. */
export const isBusyStatus = (status: number): boolean => RETRYABLE.has(status) || status >= 500;

/** An error with the provider's status, if the agent reports one. Retryable if the agent or the status says so. */
export const errorEvent = (message: string, status: number | null, retryable: boolean): EventBody => ({
  type: 'error',
  message,
  retryable: retryable || (status !== null && isBusyStatus(status)),
  ...(status === null ? {} : { status }),
});

/** The error of an agent that takes an empty answer for one of the model: it is none, for example a page. */
export const NO_ANSWER = 'malformed response: it is empty';

/** The error of an agent whose model has used tokens for an answer without words. */
export const NO_WORDS = "the model's answer was withheld, or cut off before its first word";

/** Reasons for the end of an answer that is incomplete, as providers and agents name them. */
const INCOMPLETE: ReadonlyMap<string, string> = new Map([
  ...['content_filter', 'filtered'].map((reason): [string, string] => [
    reason,
    'the answer was broken off by a content filter',
  ]),
  ...['length', 'max_tokens', 'truncated'].map((reason): [string, string] => [
    reason,
    'the answer was truncated because it exceeded the token limit',
  ]),
  ['refusal', "the model's answer was withheld (stop reason: refusal)"],
]);

/** Returns why an answer that has ended for this reason is incomplete. Null if nothing says that it is. */
export const incompleteBy = (reason: string): string | null => INCOMPLETE.get(reason) ?? null;

/** True for an end of which the agent's log may know more: success, or no words at all. */
export const isUnexplained = ({ result, error }: Pick<AgentEnd, 'result' | 'error'>): boolean =>
  result?.ending === 'done' || error?.message === NO_ANSWER || error?.message === NO_WORDS;

/** An event for a line, or a part of one, that the adapter does not know. */
export const unknownEvent = (kind: string): EventBody => ({ type: 'unknown', kind });

/** An event for something that the agent did, or may have done, and that its output does not show. */
export const lostEvent = (kind: string, lost: 'event' | 'call'): EventBody => ({
  type: 'unknown',
  kind,
  lost,
});

/**
 * An event if an agent counts something otherwise than its output shows it: lines are missing, or it hides something.
 */
export const miscounted = (what: string, counted: number | null, shown: number): EventBody[] =>
  counted === null || counted === shown ? [] : [lostEvent(`it counts ${counted} ${what}, and shows ${shown}`, 'call')];

/** The usage of answers, of which nothing is known if all counts are zero. */
export const usageEvent = (
  tokens: TokenUsage,
  costUsd: number | null = null,
): Extract<EventBody, { type: 'usage' }> => ({ type: 'usage', ...unlessZero(tokens), cost_usd: costUsd });
