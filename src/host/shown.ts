import { relative } from 'node:path';

/** Returns how users call this program: if npx or an npm script started it, it is not on PATH. */
export const invocation = (): string =>
  (process.env['npm_command'] ?? '') === '' ? 'llm-tool-test' : 'npx --no llm-tool-test';

/** Formats one of our commands for a message, in code quotes, so that it can be copied. */
export const ownCommand = (words: string): string => `\`${invocation()} ${words}\``;

/** Formats a path for messages: relative to the working folder if it is inside, else absolute. */
export function displayPath(path: string): string {
  const way = relative(process.cwd(), path);
  return way === '' || way.startsWith('..') ? path : way;
}

/** Formats a path for text that people read: relative to the working folder if that is shorter, else absolute. */
export function shortestPath(path: string): string {
  const way = relative(process.cwd(), path);
  return way !== '' && way.length < path.length ? way : path;
}
