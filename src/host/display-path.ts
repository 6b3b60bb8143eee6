import { relative } from 'node:path';

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
