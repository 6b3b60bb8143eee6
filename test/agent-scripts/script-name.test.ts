import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scriptPaths } from '../../src/agent-scripts/script-name.js';

it.each([
  'coverage/check',
  'coverage/check/',
  'coverage/check/run.ts',
  'coverage/check/README.md',
  '.agents/scripts/coverage/check',
  './.agents/scripts/coverage/check/run.ts',
])('%s names the script coverage/check', (name) => {
  expect(scriptPaths(name)).toEqual({
    name: 'coverage/check',
    folder: '.agents/scripts/coverage/check',
    source: '.agents/scripts/coverage/check/run.ts',
    readme: '.agents/scripts/coverage/check/README.md',
  });
});

it.each(['', '.', '..', '/', '/check', '../check', 'a/../b', 'a//b', '-x', '.hidden', 'a b', "a'b", 'a\nb', 'a\n'])(
  '%j is not a valid name',
  (name) => {
    expect(scriptPaths(name)).toBeNull();
  },
);

it('for any name, the paths stay in the folder of the scripts and need no quotes', () => {
  const part = fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom('..', '/', './', 'a', '.agents/scripts/'));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const paths = scriptPaths(parts.join(''));
      if (paths !== null) expect(paths.source).toMatch(/^\.agents\/scripts(\/[A-Za-z0-9_][\w.-]*)+\/run\.ts$/);
    }),
  );
});
