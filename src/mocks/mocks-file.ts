import { z } from 'zod';
import { sha256 } from '#lib';
import { type Cell, MockedCall } from '#model';
import type { Mock } from './mock.js';

/** The input of the program of mocked commands, or of the server of mocked endpoints, as JSON. */
export interface MocksFile {
  /** All mocks of the scenario. */
  mocks: Mock[];
  /** Folder with the records of calls: `1.json` is the first call. */
  calls: string;
  /** The same for each run of the cell, so that a failure by chance can be repeated. */
  seed: string;
  /** These names are empty if no mock can use them: the agent can read the file. */
  agent: string;
  scenario: string;
}

/** The description of the mocks of a run, for the program that answers its calls. */
export function mocksFileOf(
  { cell }: { cell: Cell },
  { mocks = [], name }: { mocks?: Mock[] | undefined; name: string },
  calls: string,
): MocksFile {
  const isNamed = JSON.stringify(mocks).includes('context');
  return {
    mocks,
    calls,
    seed: sha256(cell.id),
    agent: isNamed ? cell.agent : '',
    scenario: isNamed ? name : '',
  };
}

/** The additional input of the server of mocked endpoints. */
export interface ServerFile extends MocksFile {
  /** It ends by itself if nothing has used it for so long. */
  idle_secs: number;
}

/** One call, as the program that answers it records it. */
export const CallRecord = z.strictObject({
  /** Index of the mock that answered; null if none did. */
  mock: z.int().nullable(),
  /** The command, or the method and path of the request. */
  command: z.string(),
  ...MockedCall.shape,
  /** Matchers that threw. `mock`: index of the mock. */
  matcher_errors: z.array(z.strictObject({ mock: z.int(), message: z.string() })).default([]),
});
export type CallRecord = z.infer<typeof CallRecord>;
