import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/lib/redaction/redact.js';
import { MIN_LENGTH, secretEncodings } from '../../../src/lib/redaction/redact-exact.js';
import { secret, TRICKY } from '../secrets.js';

const R = '[REDACTED]';

describe('the encodings that results.md names', () => {
  const documented = readFileSync(new URL('../../../specs/reference/results.md', import.meta.url), 'utf8');
  const table = /\| encoding +\|[^\n]*\n\|[ -|]*\n((?:\|[^\n]*\n)+)/.exec(documented)?.[1] ?? '';

  it('are exactly those that are searched for', () => {
    const names = table.split('\n').flatMap((row) => /^\| ([^|]*?) +\|/.exec(row)?.[1] ?? []);
    expect(names).toEqual(Object.keys(secretEncodings));
  });

  it.each(Object.keys(secretEncodings))('are all masked: %s', (name) => {
    fc.assert(
      fc.property(secret, fc.string({ maxLength: 5 }), (value, around) => {
        const redact = createRedactor({ secrets: [value] });
        for (const form of secretEncodings[name]?.(value) ?? []) {
          if (form.length < MIN_LENGTH) continue;
          // Between characters of no encoding, and in the middle of a text.
          for (const text of [`<${form}>`, `${around}\n${form}\n${around}`, JSON.stringify({ a: form })])
            expect(redact(text)).not.toContain(form);
        }
      }),
      // The second example has a line that is JSON by itself.
      {
        numRuns: 150,
        examples: [
          [TRICKY, 'x'],
          ['a\n"aaaaa&-"', ''],
        ],
      },
    );
  });

  it('are found in any mixture, with each character as another library writes it', () => {
    const spelled = (character: string, style: number): string => {
      const percent = [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
      const point = character.codePointAt(0) ?? 0;
      const unicode = character
        .split('')
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join('');
      if (/[A-Za-z0-9_\\]/.test(character)) return character;
      return (
        [character, percent, percent.toUpperCase(), `&#${point};`, `&#x${point.toString(16)};`, unicode][style] ??
        character
      );
    };
    fc.assert(
      fc.property(secret, fc.array(fc.nat(5), { minLength: 24, maxLength: 24 }), (value, styles) => {
        const text = Array.from(value, (character, index) => spelled(character, styles[index] ?? 0)).join('');
        expect(createRedactor({ secrets: [value] })(`x ${text} y`)).toBe(`x ${R} y`);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the output of a library', () => {
  const outputs = [
    [
      "Python's urllib.parse.quote",
      'it%27s%20%28a%29%20%22p%2Ass%21%22%20w%5Crd/%C3%BC%E2%82%AC%F0%9F%98%80%26%3Cb%3E%2B%24~',
    ],
    ['encodeURIComponent', encodeURIComponent(TRICKY)],
    ['a form', new URLSearchParams({ v: TRICKY }).toString().slice(2)],
    ["Python's json.dumps", String.raw`it's (a) \"p*ss!\" w\\rd/\u00fc\u20ac\ud83d\ude00&<b>+$~`],
    ["PHP's json_encode", String.raw`it's (a) \"p*ss!\" w\\rd\/\u00fc\u20ac\ud83d\ude00&<b>+$~`],
    ["Go's json.Marshal", String.raw`it's (a) \"p*ss!\" w\\rd/ü€😀\u0026\u003cb\u003e+$~`],
    ['.NET', String.raw`it\u0027s (a) \u0022p*ss!\u0022 w\\rd/\u00FC\u20AC\uD83D\uDE00\u0026\u003Cb\u003E\u002B$~`],
    ['markup', 'it&#39;s (a) &quot;p*ss!&quot; w\\rd/ü€😀&amp;&lt;b&gt;+$~'],
    ["Python's shlex.quote", `it'"'"'s (a) "p*ss!" w\\rd/ü€😀&<b>+$~`],
    ["bash's printf %q", String.raw`it\'s\ \(a\)\ \"p\*ss\!\"\ w\\rd/ü€😀\&\<b\>+\$~`],
  ] as const;
  const redact = createRedactor({ secrets: [TRICKY] });

  it.each(outputs)('is masked: %s', (_, form) => {
    expect(redact(`before ${form} after`)).toBe(`before ${R} after`);
  });

  it.each(outputs)('is masked even if a message ends in the middle of it: %s', (_, form) => {
    for (let length = MIN_LENGTH; length < form.length; length++)
      expect(redact(`before ${form.slice(0, length)}…`)).toBe(`before ${R}…`);
  });
});

it('takes linear time on a megabyte of backslashes, percents and quotes', () => {
  for (const value of ['\\\\\\"\\\\"x', '%%%%%%%%', '"\\"\\"\\"\\"', "''''''''", '&&&&&&amp;']) {
    const redact = createRedactor({ secrets: [value] });
    for (const repeated of ['\\', '%', '%25', '&', '&amp;', '"', "'", '\\"'])
      expect(typeof redact(`x${repeated.repeat(50_000)}`)).toBe('string');
  }
});
