import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beginningOf, sha256 } from '#lib';
import type { MockChoice } from './choose-mock.js';
import type { CallRecord } from './mocks-file.js';

const MAX_ARGUMENTS = 100;
const LONGEST_ARGUMENT = 1000;

/** The beginning of what a call was given, as it is recorded. */
export const recordedArgs = (args: readonly string[]): string[] =>
  args.slice(0, MAX_ARGUMENTS).map((arg) => beginningOf(arg, LONGEST_ARGUMENT));

/** The part of a record that follows from how the call was decided. */
export const recordedDecision = ({
  answer,
  matcherErrors,
}: MockChoice<unknown>): Pick<CallRecord, 'mock' | 'failed_by_chance' | 'matcher_errors'> => ({
  mock: answer?.mock ?? null,
  failed_by_chance: answer?.failedByChance ?? false,
  matcher_errors: matcherErrors.map(({ mock, message }) => ({
    mock,
    message: beginningOf(message, LONGEST_ARGUMENT),
  })),
});

/**
 * Decides how a call is answered, and records it under the next free number from `first` on, on which chance depends.
 * Each call has a file of its own, because creating one gives calls at the same time different numbers.
 */
export function recordCall<D extends { record: CallRecord }>(
  folder: string,
  first: number,
  decide: (number: number) => D,
): D & { number: number } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let number = first; ; number += 1) {
    const decided = decide(number);
    try {
      writeFileSync(join(folder, `${number}.json`), JSON.stringify(decided.record), {
        flag: 'wx',
        mode: 0o600,
      });
      return { ...decided, number };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

const DIGITS = 12;

/** A number from 0 to below 1 that is the same for the same seed and number of the call. */
export const chanceOf = (seed: string, call: number): number =>
  parseInt(sha256(`${seed}\n${call}`).slice(0, DIGITS), 16) / 16 ** DIGITS;
