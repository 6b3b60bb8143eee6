import { type CommandResult, parseJson } from '#lib';
import { answerIn, readScriptAnswer } from '../answer.js';
import type { Example, Readme } from '../readme.js';

/** The answer that the README shows for an example. Success if it shows none. */
const shown = ({ output }: Example): { success: boolean; code: string | null } => {
  const answer = output === null ? null : answerIn(parseJson(output.value));
  if (answer === null || typeof answer === 'string' || answer.success) return { success: true, code: null };
  return { success: false, code: answer.code };
};

/** How the output of an example differs from the contract or from what the README shows. Null if it does not. */
export function exampleProblem(
  readme: Readme,
  example: Example,
  result: CommandResult,
  timeoutSecs: number,
): string | null {
  const read = readScriptAnswer(result, timeoutSecs);
  if (!read.ok) return read.problem;
  const { answer } = read;
  const expected = shown(example);
  if (answer.success)
    return expected.success ? null : `succeeded; the README shows ${expected.code ?? 'an error'}`;
  if (expected.success) return `answered ${answer.code}: ${answer.error}`;
  if (answer.code !== expected.code)
    return `answered ${answer.code}; the README shows ${expected.code ?? ''}`;
  const documented = readme.codes.some(({ value }) => value === answer.code);
  return documented ? null : `answered ${answer.code}, which is not in the table Error Codes`;
}
