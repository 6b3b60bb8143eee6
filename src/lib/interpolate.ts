/** `${NAME}`, or `$${NAME}` for a literal `${NAME}`. Any other dollar is plain text. */
const REFERENCE = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Returns the names that `text` refers to as `${NAME}`, in order and without duplicates. */
export function variableNames(text: string): string[] {
  const names = [...text.matchAll(REFERENCE)].filter(([, escape]) => escape === '').map(([, , name = '']) => name);
  return [...new Set(names)];
}

/** Returns the names that the values of an environment map refer to. */
export const referredNames = (env: Readonly<Record<string, string>>): string[] =>
  Object.values(env).flatMap(variableNames);

/** A text with all values filled in, or the names that have no value. */
export type Interpolated = { ok: true; text: string } | { ok: false; missing: string[] };

/** Fills in the values. A value is used as it is, even if it contains `${...}`. An empty value counts as set. */
export function interpolate(text: string, values: Readonly<Record<string, string | undefined>>): Interpolated {
  const valueOf = (name: string): string | undefined => (Object.hasOwn(values, name) ? values[name] : undefined);
  const missing = variableNames(text).filter((name) => valueOf(name) === undefined);
  if (missing.length > 0) return { ok: false, missing };
  const filled = text.replace(REFERENCE, (_whole, escape: string, name: string) =>
    escape === '' ? (valueOf(name) ?? '') : `\${${name}}`,
  );
  return { ok: true, text: filled };
}
