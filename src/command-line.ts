import { completeWords, createProgram, keepsLog, reportFailure } from '#commands';
import { settleCodecKeys } from '#engine';
import { createMemory } from '#host';

/** Prints why a command failed, and returns its exit code. */
const fail = (args: readonly string[], error: unknown): number =>
  reportFailure(error, { json: args.includes('--json'), log: keepsLog(args) });

/** Runs the command that the arguments name, and returns its exit code. What it remembers is gone when it has ended. */
export const runCommandLine = (args: readonly string[], memory = createMemory()): Promise<number> =>
  memory.during(() => perform(args));

async function perform(args: readonly string[]): Promise<number> {
  // An empty variable counts as not set
  for (const name of ['LLM_TOOL_TEST_BUDGET_USD', 'LLM_TOOL_TEST_JUDGE'])
    if (process.env[name] === '') Reflect.deleteProperty(process.env, name);
  settleCodecKeys();
  let exitCode = 0;
  const exitWith = async (code: Promise<number> | number): Promise<void> => {
    exitCode = await code;
  };
  try {
    const program = createProgram({ exitWith });
    // Completion scripts call this with an unfinished line, which Commander could not parse
    if (args[0] === 'complete-words') return await completeWords(program, args.slice(1));
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return fail(args, error);
  }
}

/** Runs the command line of this process, and ends the process. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const memory = createMemory();
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error) => process.exit(memory.during(() => fail(args, error))));
  const code = await runCommandLine(args, memory);
  // Exits explicitly: an open request to the server (for the result of a paused sweep) would keep the process alive
  process.stdout.write('', () => process.exit(code));
}
