import { commandText, beginningOf, groupBy } from '#lib';
import type { LineProblem, OutputProblems } from './records/output-problems.js';
import type { MockedCalls } from './records/mocked-calls.js';

const SHOWN = 5;

/** Describes what is wrong in a line: `line 3: tool_call.id: missing, expected a string`. */
const lineProblemText = ({ start, line, message }: LineProblem): string =>
  `${start > 1 ? `start ${start}, ` : ''}line ${line}: ${message}`;

/** The warnings of a run about output that should be events: the first invalid lines, and how many more there are. */
export function outputWarnings({ lines, events, first, unread }: OutputProblems): string[] {
  const shown = first.slice(0, SHOWN);
  const more = lines - shown.length;
  return [
    ...shown.map((problem) => `agent output, ${lineProblemText(problem)}`),
    ...(more > 0 ? [`agent output: ${more} more invalid ${more === 1 ? 'line' : 'lines'}`] : []),
    ...(events === 0 && unread ? ['agent output: no events, although the agent has output = "jsonl"'] : []),
  ];
}

/** The invalid lines in the output of one run of an agent. */
export interface RunOutput {
  agent: string;
  problems: OutputProblems;
}

/** Returns a warning of a sweep for each agent whose output should be events and has invalid lines. */
export function outputsThatDoNotFit(runs: readonly RunOutput[]): string[] {
  return groupBy(runs, ({ agent }) => agent).map((ofAgent) => {
    const found = ofAgent.map(({ problems }) => problems);
    const runsText = `${found.length} ${found.length === 1 ? 'run' : 'runs'}`;
    const example = found.find(({ first }) => first.length > 0)?.first[0];
    const lines = found.reduce((sum, one) => sum + one.lines, 0);
    const what =
      example === undefined
        ? `no event in the output of ${runsText}`
        : `${lines} invalid ${lines === 1 ? 'line' : 'lines'} in the output of ${runsText}; ${lineProblemText(example)}`;
    return `agent ${ofAgent[0]?.agent ?? ''}: ${what}`;
  });
}

/** True if the text names a request, like `GET /users/7`, and not a command or a method of a service. */
const isRequest = (mocked: string): boolean => mocked.includes(' /');

/** A call of something mocked on one line: a command as a shell takes it, a request with its query and body. */
export const mockedCallText = (mocked: string, args: readonly string[]): string =>
  isRequest(mocked)
    ? args.reduce((text, arg) => `${text}${arg.startsWith('?') ? '' : ' '}${arg}`, mocked)
    : commandText([mocked, ...args]);

const LONGEST_CALL = 200;
const MAX_SHOWN = 3;

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
    ...(requests.length === 0 ? [] : [`${counted(requests.length, 'request')} matched no mock: ${listed(requests)}`]),
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
  return [...different.slice(0, MAX_SHOWN), ...(different.length > MAX_SHOWN ? ['…'] : [])].join('; ');
}
