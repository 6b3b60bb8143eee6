import { z } from 'zod';

/** The `schema_version` of a stored file. Another one is refused with a message that names it. */
export const schemaVersion = <const Version extends number>(version: Version): z.ZodLiteral<Version> =>
  z.literal(version, {
    error: ({ input }) =>
      typeof input === 'number'
        ? `this build reads schema_version ${version}, not ${input}; use the release of llm-tool-test that wrote it`
        : undefined,
  });

/** Says why a stored text does not fit its schema: the first problem, after the field that has it. */
export function parseFailure(error: unknown): string {
  const [issue] = error instanceof z.ZodError ? error.issues : [];
  if (issue === undefined) return (error as Error).message;
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}
