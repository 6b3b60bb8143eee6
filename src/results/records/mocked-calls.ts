import { z } from 'zod';

/** One call of a mocked command. */
export const MockedCall = z.object({
  args: z.array(z.string()).describe('Its arguments: at most 100, of at most 1000 characters'),
  step: z.string().describe('The step that made it'),
  exit_code: z.number().int().describe('Its exit status'),
  failed_by_chance: z.boolean().describe('Whether it failed because of `metadata.probability`'),
});
export type MockedCall = z.infer<typeof MockedCall>;

/** The calls of mocked commands in a run. */
export const MockedCalls = z.object({
  by_mock: z
    .array(
      z.object({
        command: z.string().describe('The command'),
        args: z.array(z.string()).describe('`when.args`, else `when.partialArgs`'),
        calls: z.array(MockedCall).describe('The calls that it answered'),
      }),
    )
    .describe('The mocks, as in the scenario'),
  unmatched: z
    .array(z.object({ command: z.string().describe('The command'), ...MockedCall.shape }))
    .describe('Calls that no mock answered'),
  more: z.boolean().describe('Whether there were calls beyond the first 1000'),
});
export type MockedCalls = z.infer<typeof MockedCalls>;
