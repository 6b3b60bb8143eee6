import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeName } from '../../src/lib/safe-name.js';

describe('safeName', () => {
  it('leaves plain names alone', () => {
    expect(safeName('git_history-2.1')).toBe('git_history-2.1');
  });

  it('is one part of a path, whatever it was', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('..', '.', '../../etc', 'a/b', '', 'anthropic/opus')),
        (name) => {
          const safe = safeName(name);
          expect(safe).toMatch(/^[\p{L}\p{N}._-]{1,60}$/u);
          expect(['.', '..']).not.toContain(safe);
        },
      ),
    );
  });
});
