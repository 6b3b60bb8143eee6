/** Values that a file of the user's refers to are not to be seen in any report, except under such names. */
const NOT_SECRET = /^(HOME|USER|LOGNAME|PATH|PWD|SHELL|LANG|TMPDIR|TERM|TZ|CI)$/;

/** Those of handed-over values that no report may show. */
export const secretsIn = (values: Record<string, string>): string[] =>
  Object.entries(values).flatMap(([name, value]) => (NOT_SECRET.test(name) ? [] : [value]));
