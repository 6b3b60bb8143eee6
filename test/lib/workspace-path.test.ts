import { posix } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { workspacePathProblem } from '../../src/lib/workspace-path.js';

it.each(['notes.md', './a', 'a/b/', 'a/../b', 'a/b/../../c', '.', '..hidden', 'a/...', '-', '~', 'C:\\x', ' a '])(
  'accepts %j',
  (path) => {
    expect(workspacePathProblem(path)).toBeNull();
  },
);

it.each([
  ['', 'blank'],
  ['  ', 'blank'],
  ['/', 'absolute'],
  ['/a', 'absolute'],
  ['//a', 'absolute'],
  ['..', 'leaves the workspace'],
  ['../a', 'leaves the workspace'],
  ['./../a', 'leaves the workspace'],
  ['a/../../b', 'leaves the workspace'],
  ['a//../../b', 'leaves the workspace'],
  ['../workspace/a', 'leaves the workspace'],
  ['a\0b', 'NUL'],
])('refuses %j', (path, reason) => {
  expect(workspacePathProblem(path)).toContain(reason);
});

it('never accepts a path that resolves outside, and none that passes through outside', () => {
  const part = fc.oneof(fc.constantFrom('..', '.', '', 'a', '...', '.. '), fc.string());
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const path = parts.join('/');
      if (workspacePathProblem(path) !== null) return;
      const resolved = posix.resolve('/home/workspace', path);
      expect(resolved === '/home/workspace' || resolved.startsWith('/home/workspace/')).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

it('accepts every relative path that never climbs', () => {
  const name = fc.string({ minLength: 1 }).filter((text) => !/[/\0]/.test(text) && text !== '..' && text.trim() !== '');
  fc.assert(
    fc.property(fc.array(name, { minLength: 1 }), (names) => {
      expect(workspacePathProblem(names.join('/'))).toBeNull();
    }),
  );
});
