import { isJsonObject, type Json } from '#lib';
import { chanceMessage, chooseMock, type AnswerOptions, type MockChoice } from './choose-mock.js';
import type { CommandMock } from './command-mock.js';
import type { Mock } from './mock.js';
import { isCommandMock } from './mock-kinds.js';
import { fillTemplate, placeholdersIn } from './template.js';

/** A call of a mocked command. */
export interface CommandCall {
  command: string;
  args: readonly string[];
  input: { stdin: string };
  context: { step: string; agent: string; scenario: string };
}

/** The result of a mocked command. */
export interface MockedCommandResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Decides how a call of a command is answered. */
export const answerToCommand = (
  mocks: readonly Mock[],
  call: CommandCall,
  options: AnswerOptions,
): MockChoice<MockedCommandResult> =>
  chooseMock(
    mocks.flatMap((mock, index) =>
      isCommandMock(mock) && mock.command === call.command ? [{ index, mock, call }] : [],
    ),
    { ...options, matchesInput },
    ({ mock }, byChance) => (byChance ? failure(mock) : resultOf(mock, call)),
  );

/** True if standard input must be read to answer calls of a command. Reading it may take until it is closed. */
export const needsInput = (mocks: readonly Mock[], command: string): boolean =>
  mocks.some(
    (mock) =>
      isCommandMock(mock) &&
      mock.command === command &&
      (mock.when.input?.stdin !== undefined ||
        /\binput\b/.test(mock.when.matcher ?? '') ||
        Object.values(responseOf(mock)).some(isFromInput)),
  );

const isFromInput = (part: string | number): boolean =>
  typeof part === 'string' && placeholdersIn(part).includes('input.stdin');

const matchesInput = (given: Json, wanted: Json): boolean => {
  const [is, should] = [given, wanted].map((input) => (isJsonObject(input) ? input['stdin'] : undefined));
  return (
    should === undefined ||
    (typeof is === 'string' && typeof should === 'string' && withoutEnd(is) === withoutEnd(should))
  );
};

const withoutEnd = (text: string): string => text.replace(/\n+$/, '');

const failure = ({ command, metadata: { probability } }: CommandMock): MockedCommandResult => ({
  stdout: '',
  stderr: `${command}: ${chanceMessage(probability)}\n`,
  exitCode: 1,
});

function resultOf(mock: CommandMock, call: CommandCall): MockedCommandResult {
  if (mock.error !== undefined) {
    const { code, message, status } = mock.error;
    return { stdout: '', stderr: `${code}: ${message}\n`, exitCode: status };
  }
  const { stdout, stderr, exit_code } = responseOf(mock);
  return { stdout: fillTemplate(stdout, call), stderr: fillTemplate(stderr, call), exitCode: exit_code };
}

const responseOf = ({ response = '' }: CommandMock): { stdout: string; stderr: string; exit_code: number } =>
  typeof response === 'string' ? { stdout: response, stderr: '', exit_code: 0 } : response;
