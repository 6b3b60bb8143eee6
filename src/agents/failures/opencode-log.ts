import type { AgentEnd } from '../agent.js';

/** A line of OpenCode's log, with the error of a request to the model. */
const LOGGED = /^timestamp=(\S+) level=\w+ .*$/gm;
const OF_REQUEST = /\bmessage="stream error".*? error\.error=("(?:[^"\\]|\\.)*"|\S+)/;

/**
 * Takes OpenCode's log out of stderr, where it is printed. OpenCode repeats a request that failed without end, and reports that
 * nowhere else: if the log has such an error after the last output, OpenCode has not recovered from it.
 */
export function withLoggedError(end: AgentEnd): AgentEnd {
  const stderr = end.stderr.replaceAll(LOGGED, '');
  if (end.error !== null || end.result !== null) return { ...end, stderr };
  const last = [...end.stderr.matchAll(LOGGED)]
    .filter(([, time = '']) => Date.parse(time) >= (end.printedAt ?? 0))
    .findLast(([line]) => OF_REQUEST.test(line));
  const message = textOf(OF_REQUEST.exec(last?.[0] ?? '')?.[1]);
  return message === null
    ? { ...end, stderr }
    : { ...end, stderr, error: { type: 'error', message, retryable: true } };
}

/** Reads a value of the log: a word, or a text in quotes as in JSON. */
function textOf(value: string | undefined): string | null {
  if (value?.startsWith('"') !== true) return value ?? null;
  try {
    return JSON.parse(value) as string;
  } catch {
    return value.slice(1, -1);
  }
}
