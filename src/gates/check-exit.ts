import { commandFailure } from './command-end.js';
import type { GateContext, Verdict } from './gate.js';
import { fail, pass } from './verdicts.js';

/** Runs a command and checks that it exits with the expected code in time. */
export async function checkExit(
  { command, timeout_secs }: { command: string; timeout_secs: number },
  context: GateContext,
  expectedCode: number,
): Promise<Verdict> {
  const result = await context.exec(command, timeout_secs);
  const failure = commandFailure(result, timeout_secs, expectedCode);
  return failure === null ? pass(`exit ${expectedCode}`) : fail(failure);
}
