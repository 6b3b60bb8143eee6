import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readScriptAnswer, type ReadAnswer } from '../../src/agent-scripts/answer.js';
import type { CommandResult } from '../../src/lib/commands/command.js';

const readAnswer = (stdout: string, changes: Partial<CommandResult> = {}): ReadAnswer =>
  readScriptAnswer(
    {
      exitCode: 0,
      timedOut: false,
      stdout,
      stderr: '',
      stdoutBytes: Buffer.byteLength(stdout),
      stderrBytes: 0,
      durationMs: 1,
      ...changes,
    },
    30,
  );
const problemIn = (...args: Parameters<typeof readAnswer>): string | null => {
  const read = readAnswer(...args);
  return read.ok ? null : read.problem;
};

it.each([
  ['{"success":true,"data":{"a":1}}', { success: true, data: { a: 1 } }],
  ['{"success":true,"data":null}\n', { success: true, data: null }],
  ['\n {"data": [], "success": true, "more": 1}', { success: true, data: [] }],
])('accepts %j with exit 0 as a success', (stdout, answer) => {
  expect(readAnswer(stdout)).toEqual({ ok: true, answer });
});

it('accepts an error with a code and exit 1 as an answer', () => {
  const answer = { success: false, error: 'no such file', code: 'FILE_NOT_FOUND' };
  expect(readAnswer(JSON.stringify(answer), { exitCode: 1 })).toEqual({ ok: true, answer });
});

it.each([
  ['', 'nothing on stdout; exit 0'],
  ['done', 'stdout is not one JSON document: "done"'],
  ['{"success":true,"data":1}{"success":true,"data":1}', /^stdout is not one JSON document: "\{/],
  ['{"success":true,"data":1}\n{"success":true,"data":1}', /^stdout is not one JSON document/],
  ['log\n{"success":true,"data":1}', /^stdout is not one JSON document/],
  ['[]', 'expected a JSON object with `success`'],
  ['null', 'expected a JSON object with `success`'],
  ['{"data":1}', 'expected a boolean `success`'],
  ['{"success":"true","data":1}', 'expected a boolean `success`'],
  ['{"success":true}', '`success` is true, but there is no `data`'],
])('%j breaks the contract', (stdout, problem) => {
  expect(problemIn(stdout)).toMatch(problem);
});

it.each([
  ['{"success":false,"code":"A"}', '`success` is false, but `error` is not text'],
  ['{"success":false,"error":" ","code":"A"}', '`success` is false, but `error` is not text'],
  ['{"success":false,"error":"e"}', '`success` is false, but `code` is not a name like FILE_NOT_FOUND'],
  ['{"success":false,"error":"e","code":"no"}', '`success` is false, but `code` is not a name like FILE_NOT_FOUND'],
  ['{"success":false,"error":"e","code":3}', '`success` is false, but `code` is not a name like FILE_NOT_FOUND'],
])('%j with exit 1 breaks the contract', (stdout, problem) => {
  expect(problemIn(stdout, { exitCode: 1 })).toBe(problem);
});

it.each([
  ['{"success":true,"data":1}', 1, 'exit 1 with success true: expected exit 0'],
  ['{"success":true,"data":1}', null, 'ended by a signal with success true: expected exit 0'],
  ['{"success":false,"error":"e","code":"E"}', 0, 'exit 0 with success false: expected exit 1'],
  ['{"success":false,"error":"e","code":"E"}', 2, 'exit 2 with success false: expected exit 1'],
])('%j with exit %s is a contradiction', (stdout, exitCode, problem) => {
  expect(problemIn(stdout, { exitCode })).toBe(problem);
});

it('reports a crash with its message on one line, without colours', () => {
  const message = 'error: Uncaught (in promise) TypeError: no';
  const stderr = `loading\n\x1b[31merror\x1b[0m${message.slice('error'.length)}\n  x()\n\n  at f\n${'  at g\n'.repeat(100)}`;
  const problem = problemIn('', { exitCode: 1, stderr }) ?? '';
  expect(problem).toMatch(`nothing on stdout; exit 1: ${message} | x() | at f |`);
  expect(problem.length).toBeLessThan(300);
});

it('reports another end without an answer with the last lines of stderr', () => {
  const stderr = `${'x'.repeat(1000)}\nno space\n\n`;
  const problem = problemIn('', { exitCode: 1, stderr }) ?? '';
  expect(problem).toMatch(/^nothing on stdout; exit 1: …x+ \| no space$/);
  expect(problem.length).toBeLessThan(300);
});

it('ignores an answer given before a timeout', () => {
  expect(problemIn('{"success":true,"data":1}', { timedOut: true, exitCode: null })).toBe('timed out after 30 s');
});

it('reports an answer that is too long to be kept completely', () => {
  expect(problemIn('{"success":true', { stdoutBytes: 2_000_000 })).toBe('stdout is too long to read: 2000000 bytes');
});

it('data that are nested too deeply to be read back break the contract', () => {
  const deep = `{"success":true,"data":${'['.repeat(3000)}${']'.repeat(3000)}}`;
  expect(problemIn(deep)).toBe('expected a JSON object with `success`');
});

it('quotes only a part of long garbage', () => {
  expect(problemIn('x'.repeat(100_000))?.length).toBeLessThan(300);
});

it('takes any output for an answer that keeps the contract or reports a problem', () => {
  const document = fc.record(
    { success: fc.boolean(), data: fc.jsonValue(), error: fc.jsonValue(), code: fc.jsonValue() },
    { requiredKeys: [] },
  );
  const output = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    document.map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(output, fc.constantFrom(0, 1, 2, null), (stdout, exitCode) => {
      const read = readAnswer(stdout, { exitCode });
      if (!read.ok) expect(read.problem).not.toBe('');
      else expect(exitCode).toBe(read.answer.success ? 0 : 1);
    }),
  );
});
