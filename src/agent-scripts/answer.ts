import { describeEnd, type CommandResult } from '../lib/command-result.js';
import { beginningOf, endOf } from '../lib/format/truncate.js';
import { isJsonObject, isStorable, parseJson, type Json } from '../lib/json.js';
import { plainText } from '../lib/format/plain-text.js';

/** What an agent script answers: the one JSON document on its stdout (specs/reference/agent-scripts.md). */
export type ScriptAnswer = { success: true; data: Json } | { success: false; error: string; code: string };

/** What a script said: its answer, or how its output breaks the contract. */
export type ReadAnswer = { ok: true; answer: ScriptAnswer } | { ok: false; problem: string };

export const CODE = /^[A-Z][A-Z0-9_]*$/;
const QUOTED = 200;

/** Reads what a run of a script left. The exit status is part of the contract: 0 with success, 1 without. */
export function readScriptAnswer(result: CommandResult, timeoutSecs: number): ReadAnswer {
  const broken = (problem: string): ReadAnswer => ({ ok: false, problem });
  if (result.timedOut) return broken(describeEnd(result, timeoutSecs));
  if (result.stdoutBytes > Buffer.byteLength(result.stdout))
    return broken(`stdout is too long to read: ${result.stdoutBytes} bytes`);
  const text = result.stdout.trim();
  const end = describeEnd(result, timeoutSecs);
  if (text === '') return broken(`nothing on stdout; ${end}${lastWords(result.stderr)}`);
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

/** The answer that a JSON value is, or what keeps it from being one; undefined stands for what is no JSON. */
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

/** Of a crash Deno's message, without the stack below it where that is long; else the end of what was said. */
function lastWords(stderr: string): string {
  const text = plainText(stderr).trim();
  const crash = text.split(/^(?=error: )/m).at(-1) ?? '';
  const words = crash.startsWith('error: ') ? beginningOf(crash, QUOTED) : endOf(text, QUOTED);
  return words === '' ? '' : `: ${words.split(/\s*\n\s*/).join(' | ')}`;
}
