import type { z } from 'zod';
import { knownKeys } from './describe-schema.js';
import { branchMeant, explainDiscriminator, explain, unknownKey } from './explain.js';
import { inTextOrder, problemIn, type Loaded, type Path, type Side, type Source } from './source.js';

interface Finding {
  path: Path;
  side: Side;
  message: string;
}

/** In the advice to write a number or a truth value as text, quotes it as it is written: "3.1" would change `3.10`. */
function asWritten(source: Source, path: Path, message: string): string {
  const found = path.reduce<unknown>(
    (at, part) => (typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[part] : undefined),
    source.value,
  );
  if (typeof found !== 'number' && typeof found !== 'boolean') return message;
  const text = source.written?.(path) ?? null;
  const advice = `write "${String(found)}"`;
  if (text === null || !message.endsWith(advice)) return message;
  return message.replace(`got ${String(found)}`, () => `got ${text}`).replace(advice, () => `write "${text}"`);
}

/** Checks a parsed file against a schema. Returns the schema's output, or all problems with their positions. */
export function check<S extends z.ZodType>(schema: S, source: Source): Loaded<z.output<S>> {
  // The issues of the result do not name their schema, but keep the same `keys` array, so it serves as the map's key.
  const known = new WeakMap<readonly string[], string[]>();
  const result = schema.safeParse(source.value, {
    reportInput: true,
    // Zod compiles code for each object, which takes longer than to check the few files that a command reads.
    jitless: true,
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') known.set(issue.keys, knownKeys(issue.inst));
      return explain(issue, source.nouns);
    },
  });
  if (result.success) {
    return {
      ok: true,
      value: result.data,
      problemAt: (path, message, side) => problemIn(source, path, message, side),
    };
  }

  const findingsOf = (issue: z.core.$ZodIssue, base: Path): Finding[] => {
    const path = [...base, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      const names = known.get(issue.keys) ?? [];
      return issue.keys.map((key) => ({
        path: [...path, key],
        side: 'key',
        message: unknownKey(key, names),
      }));
    }
    if (issue.code === 'invalid_key') {
      return issue.issues.map(({ message }) => ({ path, side: 'key', message }));
    }
    if (issue.code === 'invalid_union') {
      if (issue.message === '') return branchMeant(issue.errors).flatMap((inner) => findingsOf(inner, path));
      return [{ path, side: 'value', message: explainDiscriminator(issue, source.nouns) ?? issue.message }];
    }
    return [{ path, side: 'value', message: issue.message }];
  };
  const findings = result.error.issues.flatMap((issue) => findingsOf(issue, []));
  return {
    ok: false,
    problems: inTextOrder(
      findings.map(({ path, message, side }) => problemIn(source, path, asWritten(source, path, message), side)),
    ),
  };
}
