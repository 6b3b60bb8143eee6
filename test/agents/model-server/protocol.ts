import type { Refusal, Usage } from './script.js';

/** A tool that the client offers to the model. */
export interface Tool {
  name: string;
  /** The group that its name is unique in, in the Responses API. */
  namespace?: string;
  /** The names of its input fields. */
  fields: string[];
}

/** The content of a request, in any protocol. */
export interface Conversation {
  model: string;
  stream: boolean;
  system: string;
  /** The user's messages, without tool results. */
  prompts: string[];
  tools: Tool[];
  toolResults: number;
  /** Ids of tool calls without a result, and of results without a call. */
  unpaired: string[];
}

/** An answer of the model. */
export interface Turn {
  /** Different for every answer. */
  id: string;
  model: string;
  reasoning: string | null;
  text: string | null;
  call: { id: string; name: string; namespace?: string; input: Record<string, unknown> } | null;
  usage: Usage;
  /** The reason why the answer ends early; null if it is complete. */
  stop: 'refusal' | 'length' | null;
}

/** One event of a stream; protocols without event names omit `event`. */
export interface StreamEvent {
  event?: string;
  data: unknown;
}

export interface ErrorAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** A protocol for requests to a model. All functions are pure. */
export interface Protocol {
  name: string;
  path: RegExp;
  read(body: unknown, url: URL): Conversation;
  /** The answer as one document. */
  answer(turn: Turn): unknown;
  /** The answer as a stream. */
  events(turn: Turn): StreamEvent[];
  /** @param now seconds since 1970, for limits that give the time of their reset */
  refuse(refusal: Refusal, model: string, now: number): ErrorAnswer;
  errorEvent: StreamEvent;
  /** The text after the last event, which marks the stream as complete. */
  endMark: string;
}

/** Ids of calls without a result, and of results without a call. */
export function unpairedIds(calls: string[], results: string[]): string[] {
  return [...calls.filter((id) => !results.includes(id)), ...results.filter((id) => !calls.includes(id))];
}

/** The two halves of a text, so that clients have to join them. */
export function inHalves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '');
}
