/** `${NAME}`, or `$${NAME}` for a literal `${NAME}`. Whatever else holds a dollar is plain text. */
const REFERENCE = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The names that `text` refers to as `${NAME}`, each once, in order. */
export function variableNames(text: string): string[] {
  const names = [...text.matchAll(REFERENCE)]
    .filter(([, escape]) => escape === '')
    .map(([, , name = '']) => name);
  return [...new Set(names)];
}

/** The names that the values of an environment map refer to. */
export const referredNames = (env: Readonly<Record<string, string>>): string[] =>
  Object.values(env).flatMap(variableNames);

/** What became of a text with `${NAME}` in it: the text with the values, or the names that have none. */
export type Interpolated = { ok: true; text: string } | { ok: false; missing: string[] };

/** Puts the values in; a value is taken as it is, even where it holds `${...}` itself. An empty value counts as set. */
export function interpolate(
  text: string,
  values: Readonly<Record<string, string | undefined>>,
): Interpolated {
  const valueOf = (name: string): string | undefined =>
    Object.hasOwn(values, name) ? values[name] : undefined;
  const missing = variableNames(text).filter((name) => valueOf(name) === undefined);
  if (missing.length > 0) return { ok: false, missing };
  const filled = text.replace(REFERENCE, (_whole, escape: string, name: string) =>
    escape === '' ? (valueOf(name) ?? '') : `\${${name}}`,
  );
  return { ok: true, text: filled };
}
