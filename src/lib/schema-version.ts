import { z } from 'zod';

/** The `schema_version` of a stored file. Another one is refused with a message that names it. */
export const schemaVersion = <const Version extends number>(version: Version): z.ZodLiteral<Version> =>
  z.literal(version, {
    error: ({ input }) =>
      typeof input === 'number'
        ? `this build reads schema_version ${version}, not ${input}; use the release of llm-tool-test that wrote it`
        : undefined,
  });
