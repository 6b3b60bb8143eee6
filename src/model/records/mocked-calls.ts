import { z } from 'zod';
import { KeptText } from './redact-fields.js';

/** One call of something that is mocked. */
export const MockedCall = z.object({
  args: z.array(z.string()).describe('Its arguments, or query and body: at most 100, of at most 1000 characters'),
  step: z.string().describe('The step that made it'),
  exit_code: z.int().nullable().describe('Exit status of a command; null: not a command'),
  status: z.int().exactOptional().describe('Status of the answer to a request'),
  failed_by_chance: z.boolean().describe('Whether it failed because of `metadata.probability`'),
});
export type MockedCall = z.infer<typeof MockedCall>;

/** The calls of mocked commands, endpoints, services and tools in a run. */
export const MockedCalls = z.object({
  by_mock: z
    .array(
      z.object({
        command: KeptText.describe('What is mocked: a command, `METHOD /path`, `service.method` or `server.tool`'),
        args: z.array(z.string()).describe('`when.args`, else `when.partialArgs`; of a tool, `when.input`'),
        calls: z.array(MockedCall).describe('The calls that it answered'),
      }),
    )
    .describe('The mocks, as in the scenario'),
  unmatched: z
    .array(
      z.object({
        command: z.string().describe('The command, `METHOD /path`, `service.method` or `server.tool`'),
        ...MockedCall.shape,
      }),
    )
    .describe('Calls that no mock answered'),
  matcher_errors: z
    .array(
      z.object({
        mock: z.int().describe('Number of the mock, from 1'),
        message: z.string().describe('What its matcher threw the first time'),
        calls: z.int().describe('How often it threw'),
      }),
    )
    .exactOptional()
    .describe('Matchers that threw, and so did not match'),
  more: z.boolean().describe('Whether there were calls beyond the first 1000'),
});
export type MockedCalls = z.infer<typeof MockedCalls>;
