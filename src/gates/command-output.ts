import { commandFailure, stdoutCut } from './command-end.js';
import type { GateContext, Verdict } from './gate.js';
import { fail, pass, quote, tooSlow } from './verdicts.js';
import type { TextMatcher } from './text-matcher.js';

/** Runs a command and judges its raw stdout. The words of `wanted` complete "stdout …" ("contains x"). */
export async function checkOutput(
  spec: { command: string; timeout_secs: number },
  context: GateContext,
  wanted: TextMatcher,
): Promise<Verdict> {
  const result = await context.exec(spec.command, spec.timeout_secs);
  const failure = commandFailure(result, spec.timeout_secs);
  if (failure !== null) return fail(failure);
  const found = await wanted.test(result.stdout);
  if (found === null) return tooSlow(spec.timeout_secs);
  if (found) return pass(`stdout ${wanted.does}`);
  const shown = result.stdout === '' ? 'it is empty' : `it begins with ${quote(result.stdout)}`;
  const cut = stdoutCut(result);
  return fail(`stdout ${wanted.doesNot}; ${shown}${cut === null ? '' : `; ${cut}`}`);
}
