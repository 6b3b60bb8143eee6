import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interpolate, variableNames } from '../../src/lib/interpolate.js';

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
const plain = fc.string().filter((text) => !text.includes('$'));

describe('variableNames', () => {
  it('gives each name once, in order', () => {
    expect(variableNames('${B}-${A}-${B}')).toEqual(['B', 'A']);
  });

  it.each(['', '$A', '${}', '${1A}', '${A-B}', '${A', '$${A}', '$ {A}'])('finds none in %j', (text) => {
    expect(variableNames(text)).toEqual([]);
  });
});

describe('interpolate', () => {
  it.each([
    ['${A}', '1'],
    ['a${A}b${B}c', 'a1b2c'],
    ['$${A}', '${A}'],
    ['$$${A}', '$${A}'],
    ['$${A}${A}', '${A}1'],
    ['$A ${} ${A', '$A ${} ${A'],
    ['${EMPTY}', ''],
    ['${REF}', '${A} $& $1'],
  ])('%j becomes %j', (text, expected) => {
    expect(interpolate(text, { A: '1', B: '2', EMPTY: '', REF: '${A} $& $1' })).toEqual({
      ok: true,
      text: expected,
    });
  });

  it('names all missing variables, even those that objects inherit', () => {
    expect(interpolate('${A}${X}${toString}${X}${U}', { A: '1', U: undefined })).toEqual({
      ok: false,
      missing: ['X', 'toString', 'U'],
    });
  });

  it('does not change text without a dollar', () => {
    fc.assert(
      fc.property(plain, (text) => {
        expect(interpolate(text, {})).toEqual({ ok: true, text });
      }),
    );
  });

  it('inserts any value unchanged', () => {
    fc.assert(
      fc.property(plain, name, fc.string(), plain, (before, variable, value, after) => {
        expect(interpolate(`${before}\${${variable}}${after}`, Object.fromEntries([[variable, value]]))).toEqual({
          ok: true,
          text: before + value + after,
        });
      }),
    );
  });

  it('restores every escaped text', () => {
    const text = fc
      .array(
        fc.oneof(
          plain,
          name.map((variable) => `\${${variable}}`),
        ),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (original) => {
        const escaped = original.replaceAll('${', () => '$${');
        expect(variableNames(escaped)).toEqual([]);
        expect(interpolate(escaped, {})).toEqual({ ok: true, text: original });
      }),
    );
  });

  it('reports every missing name', () => {
    fc.assert(
      fc.property(fc.string(), fc.dictionary(name, fc.string()), (text, values) => {
        const missing = variableNames(text).filter((variable) => !Object.hasOwn(values, variable));
        expect(interpolate(text, values)).toMatchObject(missing.length > 0 ? { ok: false, missing } : { ok: true });
      }),
    );
  });
});
