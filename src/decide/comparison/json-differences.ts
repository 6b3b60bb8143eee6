import { isJsonObject, type Json } from '#lib';

/**
 * Returns the paths at which two values differ, such as `steps.agent.prompt` or `gates[1].path`. Lists of different
 * lengths differ as a whole.
 */
export function jsonDifferences(a: Json | undefined, b: Json | undefined, path = ''): string[] {
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return keys.flatMap((key) => jsonDifferences(a[key], b[key], path === '' ? key : `${path}.${key}`));
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    return a.flatMap((one, at) => jsonDifferences(one, b[at], `${path}[${at}]`));
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [path];
}
