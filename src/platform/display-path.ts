import { relative } from 'node:path';

/** A path as messages show it: relative to the working folder if it is inside it, else absolute. */
export function displayPath(path: string): string {
  const way = relative(process.cwd(), path);
  return way === '' || way.startsWith('..') ? path : way;
}
