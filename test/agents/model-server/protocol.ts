import type { Refusal, Usage } from './script.js';

/** A tool that the client offers to the model. */
export interface Tool {
  name: string;
  /** The names of its input fields. */
  fields: string[];
}

/** What a request says, whatever its protocol. */
export interface Conversation {
  model: string;
  stream: boolean;
  system: string;
  /** What the user side said, without tool results. */
  prompts: string[];
  tools: Tool[];
  toolResults: number;
  /** Ids of tool calls without a result, and of results without a call. */
  unpaired: string[];
}

/** What the model answers. */
export interface Turn {
  /** Different for every answer. */
  id: string;
  model: string;
  reasoning: string | null;
  text: string | null;
  call: { id: string; name: string; input: Record<string, unknown> } | null;
  usage: Usage;
}

/** One event of a stream; the protocols that do not name their events leave `event` out. */
export interface StreamEvent {
  event?: string;
  data: unknown;
}

export interface ErrorAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** One way of speaking with a model. All functions are pure. */
export interface Protocol {
  name: string;
  path: RegExp;
  read(body: unknown, url: URL): Conversation;
  /** The answer as one document. */
  answer(turn: Turn): unknown;
  /** The same as a stream. */
  events(turn: Turn): StreamEvent[];
  /** @param now seconds since 1970, for limits that name the time of their end */
  refuse(refusal: Refusal, model: string, now: number): ErrorAnswer;
  errorEvent: StreamEvent;
  /** What says that the stream is complete, after its last event. */
  endMark: string;
}

/** Ids that are only on one side. */
export function unpairedIds(calls: string[], results: string[]): string[] {
  return [...calls.filter((id) => !results.includes(id)), ...results.filter((id) => !calls.includes(id))];
}

/** Halves of a text, so that clients have to put them together. */
export function inHalves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '');
}
