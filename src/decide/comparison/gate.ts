import { z } from 'zod';

/**
 * The result of `--gate`. `not worse` is shown: by the margin, by a rise, or because all results were reused. `not
 * shown`: nothing is, so head may be worse. `undecided`: too few runs. `not tested`: head lacks results that base has,
 * or the untested cells decide whether it is worse.
 */
export const Gate = z.object({
  result: z
    .enum(['not worse', 'not shown', 'worse', 'undecided', 'not tested'])
    .describe(
      'Decides the exit code of --gate; `not shown`: no margin was given, and no loss is shown, nor that there is none',
    ),
  reasons: z
    .array(z.string())
    .describe('Why it is neither `not worse` nor `not shown`, and which configurations moved it: sentences'),
});
export type Gate = z.infer<typeof Gate>;
