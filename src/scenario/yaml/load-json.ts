import { check, type Loaded, type Source } from '#input';
import type { z } from 'zod';
import { parseYaml } from './load-yaml.js';

/** Parses JSON and checks it against a zod schema. Never throws: every error is a problem with line and column. */
export function loadJson<S extends z.ZodType>(schema: S, file: string, raw: string): Loaded<z.output<S>> {
  const text = raw.replace(/^\uFEFF/, '');
  try {
    const value: unknown = JSON.parse(text);
    // JSON is YAML, whose parser knows where everything is.
    const { source } = parseYaml(file, text);
    const nouns = { map: 'an object', list: 'an array' };
    const placed: Source = { file, value, nouns, locate: (path, side) => source?.locate(path, side) ?? null };
    return check(schema, placed);
  } catch (error) {
    const { message } = error as Error;
    const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
    const before = text.slice(0, offset).split('\n');
    const at = { line: before.length, column: (before.at(-1) ?? '').length + 1 };
    return {
      ok: false,
      problems: [{ file, ...at, path: '', message: `no JSON: ${message.replace(/ in JSON.*/s, '')}` }],
    };
  }
}
