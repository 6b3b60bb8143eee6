import { commandText } from '../lib/commands/command.js';
import { beginningOf } from '../lib/format/truncate.js';
import type { MockedCalls } from './records/mocked-calls.js';

const LONGEST_CALL = 200;
const MOST_SHOWN = 3;

const shown = (command: string, args: readonly string[]): string =>
  beginningOf(commandText([command, ...args]), LONGEST_CALL);

/** Warnings about mocks that answered no call, calls that no mock answered, and matchers that threw. */
export function mockWarnings({ by_mock, unmatched, matcher_errors = [], more }: MockedCalls): string[] {
  const unused = by_mock.flatMap(({ command, args, calls }, index) =>
    // A call that is not recorded may have used it.
    calls.length > 0 || more ? [] : [`mock ${index + 1} (${shown(command, args)}) was never used`],
  );
  const commands = [...new Set(unmatched.map(({ command }) => command))];
  return [
    ...unused,
    ...commands.map((command) => {
      const calls = unmatched.filter((call) => call.command === command);
      const different = [...new Set(calls.map(({ args }) => shown(command, args)))];
      const list = [...different.slice(0, MOST_SHOWN), ...(different.length > MOST_SHOWN ? ['…'] : [])];
      const count = `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}`;
      return `${count} of ${command} matched no mock: ${list.join('; ')}`;
    }),
    ...matcher_errors.map(
      ({ mock, message, calls }) =>
        `the matcher of mock ${mock} threw in ${calls} ${calls === 1 ? 'call' : 'calls'}: ${beginningOf(message, LONGEST_CALL)}`,
    ),
  ];
}
