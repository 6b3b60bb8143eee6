import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pathsInChecks } from '../../src/scenario/named-checks.js';

it.each([
  ['sh "$LLM_TOOL_TEST_CHECKS/check.sh"', ['check.sh']],
  ['sh "$LLM_TOOL_TEST_CHECKS"/a/check.sh 3', ['a/check.sh']],
  ['${LLM_TOOL_TEST_CHECKS}/check.sh; node $LLM_TOOL_TEST_CHECKS/b.mjs', ['check.sh', 'b.mjs']],
  ['diff out.txt "$LLM_TOOL_TEST_CHECKS/out.txt">/dev/null', ['out.txt']],
  // Their names are only known when they run.
  ['ls "$LLM_TOOL_TEST_CHECKS"', [null]],
  ['cd $LLM_TOOL_TEST_CHECKS && ./check.sh', [null]],
  ['cat "$LLM_TOOL_TEST_CHECKS/case-$1.txt"', [null]],
  ['cat $LLM_TOOL_TEST_CHECKS/*.txt', [null]],
  ['cat $LLM_TOOL_TEST_CHECKS/a\\ b', [null]],
  // Other variables.
  ['echo $LLM_TOOL_TEST_CHECKS_DONE $LLM_TOOL_TEST_AGENT/x', []],
])('%s names %j', (command, files) => {
  expect(pathsInChecks(command)).toEqual(files);
});

it('finds every plain path that a command names', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,8}$/);
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(fc.array(path, { maxLength: 4 }), (paths) => {
      const command = paths.map((one) => `sh "$LLM_TOOL_TEST_CHECKS/${one}"`).join(' && ');
      expect(pathsInChecks(command)).toEqual(paths);
    }),
  );
});
