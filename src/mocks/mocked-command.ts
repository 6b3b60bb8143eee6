import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerToCommand, needsInput, type CommandCall } from './answer-to-command.js';
import { chanceOf, recordCall, recordedArgs, recordedDecision } from './record-call.js';
import type { MocksFile } from './mocks-file.js';

/*
 * A mocked command: `node mocked-command.js MOCKS.json COMMAND ARGUMENT...`. It starts no process.
 */

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

const { delayMs, result } = recordCall(calls, 1, (number) => {
  const decision = answerToCommand(mocks, call, { random: chanceOf(seed, number) });
  const result = decision.answer?.result ?? unanswered();
  const record = {
    ...recordedDecision(decision),
    command,
    args: recordedArgs(args),
    step: call.context.step,
    exit_code: result.exitCode,
  };
  return { record, delayMs: decision.answer?.delayMs ?? 0, result };
});
await sleep(delayMs);
process.exitCode = result.exitCode;
for (const [stream, printed] of [
  [process.stdout, result.stdout],
  [process.stderr, result.stderr],
] as const) {
  stream.on('error', () => undefined); // the reader has closed it, as `head` does
  stream.write(printed);
}

function unanswered() {
  const stderr = `llm-tool-test: no mock of ${command} matches this call: ${[command, ...args].join(' ')}\n`;
  return { stdout: '', stderr, exitCode: UNANSWERED };
}
