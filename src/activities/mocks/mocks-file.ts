import { z } from 'zod';
import type { CommandMock } from '../../mocks/command-mock.js';
import { MockedCall } from '../../results/records/mocked-calls.js';

/** What the program of a mocked command needs to know, as JSON. */
export interface MocksFile {
  mocks: CommandMock[];
  /** Folder with the records of calls: `1.json` is the first call. */
  calls: string;
  seed: string;
  agent: string;
  scenario: string;
}

/** One call, as the program of a mocked command records it. `mock`: index of the mock that answered; null if none did. */
export const CallRecord = z.strictObject({
  mock: z.int().nullable(),
  command: z.string(),
  ...MockedCall.shape,
});
export type CallRecord = z.infer<typeof CallRecord>;
