import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scriptsRunBy } from '../../../src/model/transcript/shell-calls.js';

it.each([
  ['./check.sh', ['./check.sh']],
  ['scripts/check.sh --fast "a b"', ['scripts/check.sh']],
  ['sh check.sh', ['check.sh']],
  ['bash -eu ./check.sh', ['./check.sh']],
  ['. ./lib.sh && node --no-warnings check.mjs 6', ['./lib.sh', 'check.mjs']],
  ['python3.12 -u check.py', ['check.py']],
  ['deno run --allow-read=. check.ts', ['check.ts']],
  ['x=1 env LANG=C ./check.sh', ['./check.sh']],
  ['if ! ./check.sh; then exit 1; fi', ['./check.sh']],
  ['mytool list | sh sum.sh', ['sum.sh']],
  ['[ "$(./count.sh)" = 3 ]', ['./count.sh']],
  ['sh "$LLM_TOOL_TEST_FIXTURE_DIR/check.sh"', ['check.sh']],
  ['"${LLM_TOOL_TEST_FIXTURE_DIR}/check.sh"', ['check.sh']],
])('%s runs %j', (command, scripts) => {
  expect(scriptsRunBy(command)).toEqual(scripts);
});

it.each([
  'cat check.sh',
  'mytool list',
  "sh -c 'echo hi'",
  'python3 -m pytest',
  'node -e "1"',
  '/opt/check.sh',
  'sh "$LLM_TOOL_TEST_CHECKS/check.sh"',
  'cd shop && sh test.sh',
  '',
])('%s runs no script of the workspace', (command) => {
  expect(scriptsRunBy(command)).toEqual([]);
});

it('returns relative paths for any text', () => {
  fc.assert(
    fc.property(fc.string(), (command) => {
      for (const script of scriptsRunBy(command)) expect(script).not.toMatch(/^[/$~]/);
    }),
  );
});
