import type { CommandMock } from './command-mock.js';
import { containsInput, fillTemplate, type MockCall } from './template.js';

/** What a mocked command does. */
interface MockResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

export interface MockAnswer {
  /** Index of the mock that answers. */
  mock: number;
  delayMs: number;
  /** Whether the call fails by chance (`metadata.probability`). */
  failedByChance: boolean;
  result: MockResult;
}

/**
 * Decides how a call is answered: by the most specific mock that matches it, or the first of equally specific ones.
 * Returns null if none matches. `random` is at least 0 and below 1.
 */
export function answerTo(mocks: readonly CommandMock[], call: MockCall, random: number): MockAnswer | null {
  const matching = mocks
    .map((mock, index) => ({ mock, index }))
    .filter(({ mock }) => matches(mock, call))
    .sort((a, b) => specificity(b.mock) - specificity(a.mock) || a.index - b.index);
  const [best] = matching;
  if (best === undefined) return null;
  const { delay, probability } = best.mock.metadata;
  const failedByChance = random < probability;
  return {
    mock: best.index,
    delayMs: delay,
    failedByChance,
    result: failedByChance ? failure(call.command, probability) : resultOf(best.mock, call),
  };
}

/** Whether standard input must be read to answer calls of a command. Reading it may take until it is closed. */
export const needsInput = (mocks: readonly CommandMock[], command: string): boolean =>
  mocks.some(
    (mock) =>
      mock.command === command &&
      (mock.when.input?.stdin !== undefined || Object.values(responseOf(mock)).some(isFromInput)),
  );

const isFromInput = (part: string | number): boolean => typeof part === 'string' && containsInput(part);

function matches({ command, when }: CommandMock, call: MockCall): boolean {
  const { args, partialArgs = [], input, context = {} } = when;
  return (
    command === call.command &&
    (args === undefined ||
      (args.length === call.args.length && args.every((arg, at) => arg === call.args[at]))) &&
    partialArgs.every((arg) => call.args.includes(arg)) &&
    (input?.stdin === undefined || withoutEnd(input.stdin) === withoutEnd(call.input.stdin)) &&
    (['step', 'agent', 'scenario'] as const).every(
      (key) => context[key] === undefined || context[key] === call.context[key],
    )
  );
}

const withoutEnd = (text: string): string => text.replace(/\n+$/, '');

const specificity = ({ when }: CommandMock): number =>
  (when.args === undefined ? 0 : 10) +
  (when.input === undefined ? 0 : 8) +
  (when.context === undefined ? 0 : 6) +
  (when.partialArgs === undefined ? 0 : 2);

const failure = (command: string, probability: number): MockResult => ({
  stdout: '',
  stderr: `${command}: failed by chance (probability ${probability})\n`,
  exitCode: 1,
});

function resultOf(mock: CommandMock, call: MockCall): MockResult {
  if (mock.error !== undefined) {
    const { code, message, status } = mock.error;
    return { stdout: '', stderr: `${code}: ${message}\n`, exitCode: status };
  }
  const { stdout, stderr, exit_code } = responseOf(mock);
  return { stdout: fillTemplate(stdout, call), stderr: fillTemplate(stderr, call), exitCode: exit_code };
}

const responseOf = ({ response = '' }: CommandMock): { stdout: string; stderr: string; exit_code: number } =>
  typeof response === 'string' ? { stdout: response, stderr: '', exit_code: 0 } : response;
