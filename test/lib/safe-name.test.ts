import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeName } from '../../src/lib/safe-name.js';

describe('safeName', () => {
  it('does not change plain names', () => {
    expect(safeName('git_history-2.1')).toBe('git_history-2.1');
  });

  it('is cut by bytes, between characters', () => {
    expect(safeName('漢'.repeat(60))).toBe('漢'.repeat(20));
    expect(safeName(`a${'漢'.repeat(60)}`)).toBe(`a${'漢'.repeat(19)}`);
  });

  it('gives a single part of a path for any name', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 80, size: 'max' }),
          fc.constantFrom('..', '.', '../../etc', 'a/b', '', 'anthropic/opus'),
        ),
        (name) => {
          const safe = safeName(name);
          expect(safe).toMatch(/^[\p{L}\p{N}._-]{1,60}$/u);
          expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(60);
          expect(['.', '..']).not.toContain(safe);
        },
      ),
    );
  });
});
