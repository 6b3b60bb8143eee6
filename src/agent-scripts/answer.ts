import {
  beginningOf,
  type CommandResult,
  describeEnd,
  endOf,
  isJsonObject,
  isStorable,
  type Json,
  parseJson,
  plainText,
} from '#lib';

/** The answer of an agent script: the one JSON document on its stdout (specs/reference/agent-scripts.md). */
export type ScriptAnswer = { success: true; data: Json } | { success: false; error: string; code: string };

/** The answer of a script, or how its output breaks the contract. */
export type ReadAnswer = { ok: true; answer: ScriptAnswer } | { ok: false; problem: string };

export const CODE = /^[A-Z][A-Z0-9_]*$/;
const QUOTED = 200;

/** Reads the answer in a script's output. The exit status is part of the contract: 0 with success, 1 without. */
export function readScriptAnswer(result: CommandResult, timeoutSecs: number): ReadAnswer {
  const broken = (problem: string): ReadAnswer => ({ ok: false, problem });
  if (result.timedOut) return broken(describeEnd(result, timeoutSecs));
  if (result.stdoutBytes > Buffer.byteLength(result.stdout))
    return broken(`stdout is too long to read: ${result.stdoutBytes} bytes`);
  const text = result.stdout.trim();
  const end = describeEnd(result, timeoutSecs);
  if (text === '') return broken(`nothing on stdout; ${end}${reasonIn(result.stderr)}`);
  const parsed = parseJson(text);
  if (parsed === undefined)
    return broken(`stdout is not one JSON document: ${JSON.stringify(beginningOf(text, QUOTED))}`);
  const answer = answerIn(parsed);
  if (typeof answer === 'string') return broken(answer);
  const expected = answer.success ? 0 : 1;
  return result.exitCode === expected
    ? { ok: true, answer }
    : broken(`${end} with success ${answer.success}: expected exit ${expected}`);
}

/** Returns a JSON value as an answer, or a message if it is not one. `undefined` stands for text that is not JSON. */
export function answerIn(value: Json | undefined): ScriptAnswer | string {
  if (value === undefined) return 'expected one JSON document';
  if (!isJsonObject(value) || !isStorable(value)) return 'expected a JSON object with `success`';
  const { success, data, error, code } = value;
  if (typeof success !== 'boolean') return 'expected a boolean `success`';
  if (success) return data === undefined ? '`success` is true, but there is no `data`' : { success, data };
  if (typeof error !== 'string' || error.trim() === '') return '`success` is false, but `error` is not text';
  return typeof code === 'string' && CODE.test(code)
    ? { success, error, code }
    : '`success` is false, but `code` is not a name like FILE_NOT_FOUND';
}

/** Returns the beginning of Deno's message if the script crashed, which precedes the stack; else the end of stderr. */
function reasonIn(stderr: string): string {
  const text = plainText(stderr).trim();
  const crash = text.split(/^(?=error: )/m).at(-1) ?? '';
  const words = crash.startsWith('error: ') ? beginningOf(crash, QUOTED) : endOf(text, QUOTED);
  return words === '' ? '' : `: ${words.split(/\s*\n\s*/).join(' | ')}`;
}
