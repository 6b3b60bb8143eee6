import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../scripts/action/decide.js';
import { splitWords } from '../../scripts/action/split-words.js';

describe('whether the job fails', () => {
  const strict = { failOnFailure: true, failOnWorse: true };
  const lax = { failOnFailure: false, failOnWorse: false };

  test.each([
    [{ run: 0, compare: 0, ...strict }, ''],
    [{ run: 0, compare: null, ...strict }, ''],
    [{ run: 0, compare: 4, ...strict }, ''],
    [
      { run: 0, compare: 4, ...strict, hasMargin: true },
      'the runs are too few to show that the loss is within the margin',
    ],
    [{ run: 0, compare: 4, ...lax, hasMargin: true }, ''],
    [{ run: 0, compare: 0, ...strict, hasMargin: true }, ''],
    [{ run: 1, compare: 0, ...strict }, 'a cell failed'],
    [{ run: 1, compare: 1, ...strict }, 'the sweep is worse than that of the base branch'],
    [{ run: 1, compare: 1, ...lax }, ''],
    [{ run: 1, compare: 0, failOnFailure: false, failOnWorse: true }, ''],
    [{ run: 3, compare: 0, ...lax }, 'a cell ended with an error or was cancelled'],
    [{ run: 130, compare: null, ...lax }, 'the sweep was interrupted'],
  ])('%j: %s', (codes, reason) => {
    expect(decide(codes)).toBe(reason);
  });

  test('fails closed: an exit code of compare that is not known to be good', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 255 }), (compare) => {
        const fails = decide({ run: 0, compare, ...strict }) !== '';
        expect(fails).toBe(compare !== 0 && compare !== 4);
      }),
    );
  });
});

describe('the words of the input `arguments`', () => {
  test('are separated by white space, outside of quotes', () => {
    expect(splitWords(' --tags smoke\n  --name "my run" a\'b c\'d "" it"s')).toEqual([
      '--tags',
      'smoke',
      '--name',
      'my run',
      'ab cd',
      '',
      'it"s',
    ]);
  });

  test('are given back as they were if quoted', () => {
    const word = fc.string().filter((text) => !text.includes("'"));
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(splitWords(words.map((text) => `'${text}'`).join(' '))).toEqual(words);
      }),
    );
  });

  test('are never expanded', () => {
    expect(splitWords('$(id) `id` ; $HOME *')).toEqual(['$(id)', '`id`', ';', '$HOME', '*']);
  });
});
