import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { suggest } from '../../src/lib/suggest.js';

describe('suggest', () => {
  const keys = ['name', 'target', 'task', 'template_folder', 'timeout_secs', 'tool_matrix', 'id'];

  it.each([
    ['nam', 'name'],
    ['nmae', 'name'],
    ['taks', 'task'],
    ['Target', 'target'],
    ['templateFolder', 'template_folder'],
    ['tempalte-folder', 'template_folder'],
    ['timeout', 'timeout_secs'],
    ['timeout_seconds', 'timeout_secs'],
    ['tool_matrx', 'tool_matrix'],
    ['ID', 'id'],
  ])('suggests for %s the candidate %s', (word, candidate) => {
    expect(suggest(word, keys)).toBe(candidate);
  });

  it.each(['', 'x', 'ip', 'prices', 'completely_different'])('suggests nothing for %j', (word) => {
    expect(suggest(word, keys)).toBe(null);
  });

  it('gives the first of equally good candidates', () => {
    expect(suggest('cat', ['bat', 'hat'])).toBe('bat');
  });

  it('finds every candidate by its own name', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }), (words) => {
        for (const word of words) expect(suggest(word, words)).toBe(word);
      }),
    );
  });
});
