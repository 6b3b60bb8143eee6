import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { beginningOf } from '../../lib/format/truncate.js';
import { answerToCommand, needsInput, type CommandCall } from '../../mocks/answer-to-command.js';
import { chanceOf } from '../../mocks/chance.js';
import type { CallRecord, MocksFile } from './mocks-file.js';

/*
 * A mocked command: `node mocked-command.js MOCKS.json COMMAND ARGUMENT...`. It starts no process. Each call is recorded
 * in a file of its own, because creating one gives calls at the same time different numbers.
 */

const MOST_ARGUMENTS = 100;
const LONGEST_ARGUMENT = 1000;
/** Exit status of a call that could not be answered, as of a command that is not found. */
const UNANSWERED = 127;

const [, , file = '', command = '', ...args] = process.argv;
const { mocks, calls, seed, agent, scenario } = JSON.parse(readFileSync(file, 'utf8')) as MocksFile;
const call: CommandCall = {
  command,
  args,
  // Waits for the end of standard input, so it is read only if an answer depends on it.
  input: { stdin: needsInput(mocks, command) ? await text(process.stdin) : '' },
  context: { step: process.env['LLM_TOOL_TEST_STEP'] ?? '', agent, scenario },
};

const { answer, result } = record();
await sleep(answer?.delayMs ?? 0);
process.exitCode = result.exitCode;
for (const [stream, printed] of [
  [process.stdout, result.stdout],
  [process.stderr, result.stderr],
] as const) {
  stream.on('error', () => undefined); // the reader has closed it, as `head` does
  stream.write(printed);
}

/** Decides how the call is answered, and records it under the next free number, on which chance depends. */
function record() {
  mkdirSync(calls, { recursive: true });
  for (let number = 1; ; number += 1) {
    const { answer, matcherErrors } = answerToCommand(mocks, call, { random: chanceOf(seed, number) });
    const result = answer?.result ?? unanswered();
    const recorded: CallRecord = {
      mock: answer?.mock ?? null,
      command,
      args: args.slice(0, MOST_ARGUMENTS).map((arg) => beginningOf(arg, LONGEST_ARGUMENT)),
      step: call.context.step,
      exit_code: result.exitCode,
      failed_by_chance: answer?.failedByChance ?? false,
      matcher_errors: matcherErrors.map(({ mock, message }) => ({
        mock,
        message: beginningOf(message, LONGEST_ARGUMENT),
      })),
    };
    try {
      writeFileSync(join(calls, `${number}.json`), JSON.stringify(recorded), { flag: 'wx' });
      return { answer, result };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function unanswered() {
  const stderr = `llm-tool-test: no mock of ${command} matches this call: ${[command, ...args].join(' ')}\n`;
  return { stdout: '', stderr, exitCode: UNANSWERED };
}
