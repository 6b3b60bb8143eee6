import { beginningOf } from '#lib';
import { isRequest, mockedCallText } from './mocked-call-text.js';
import type { MockedCalls } from './records/mocked-calls.js';

const LONGEST_CALL = 200;
const MOST_SHOWN = 3;

const shown = (command: string, args: readonly string[]): string =>
  beginningOf(mockedCallText(command, args), LONGEST_CALL);

/** Warnings about mocks that answered no call, calls that no mock answered, and matchers that threw. */
export function mockWarnings({ by_mock, unmatched, matcher_errors = [], more }: MockedCalls): string[] {
  const unused = by_mock.flatMap(({ command, args, calls }, index) =>
    // A call that is not recorded may have used it.
    calls.length > 0 || more ? [] : [`mock ${index + 1} (${shown(command, args)}) was never used`],
  );
  const requests = unmatched.filter(({ command }) => isRequest(command));
  const others = unmatched.filter(({ command }) => !isRequest(command));
  return [
    ...unused,
    ...[...new Set(others.map(({ command }) => command))].map((command) => {
      const calls = others.filter((call) => call.command === command);
      return `${counted(calls.length, 'call')} of ${command} matched no mock: ${listed(calls)}`;
    }),
    ...(requests.length === 0
      ? []
      : [`${counted(requests.length, 'request')} matched no mock: ${listed(requests)}`]),
    ...matcher_errors.map(
      ({ mock, message, calls }) =>
        `the matcher of mock ${mock} threw in ${counted(calls, 'call')}: ${beginningOf(message, LONGEST_CALL)}`,
    ),
  ];
}

const counted = (count: number, what: string): string => `${count} ${count === 1 ? what : `${what}s`}`;

/** The first few different calls. */
function listed(calls: MockedCalls['unmatched']): string {
  const different = [...new Set(calls.map(({ command, args }) => shown(command, args)))];
  return [...different.slice(0, MOST_SHOWN), ...(different.length > MOST_SHOWN ? ['…'] : [])].join('; ');
}
