import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseEnvFile } from '../../src/lib/parse-env-file.js';

test('reads names, quotes, comments and values of several lines', () => {
  const text = [
    '# keys',
    'PLAIN=a # comment',
    'export QUOTED="b # no comment"',
    "SPACED = ' c '",
    'EMPTY=',
    'KEY="-----BEGIN',
    'x=y',
    '-----END"',
  ].join('\r\n');
  expect(parseEnvFile(`\uFEFF${text}`)).toEqual({
    ok: true,
    values: {
      PLAIN: 'a',
      QUOTED: 'b # no comment',
      SPACED: ' c ',
      EMPTY: '',
      KEY: '-----BEGIN\nx=y\n-----END',
    },
  });
});

test.each([
  ['A=1\nsk-secret\nB=2', 2, 'expected NAME=VALUE'],
  ['A=1\n=secret', 2, 'expected NAME=VALUE'],
  ['A=1\nMY KEY=secret', 2, 'expected NAME=VALUE'],
  ['A=1\n\n# c\nB="secret', 4, 'the value has no closing "'],
  ["A='secret\nB=2", 1, "the value has no closing '"],
  ['A="secret"more', 1, 'expected nothing after the closing "'],
  ['A=sec\0ret', 1, 'contains a NUL byte'],
])('names the line of a problem, and quotes nothing of it: %j', (text, line, problem) => {
  expect(parseEnvFile(text)).toEqual({ ok: false, line, problem });
});

const NAME = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/);
const VALUE = fc.stringMatching(/^[\w /+:.,=#\n-]{0,20}$/);

test('returns exactly what was written', () => {
  fc.assert(
    fc.property(fc.dictionary(NAME, VALUE), fc.constantFrom('"', "'", '`'), (values, quote) => {
      const lines = Object.entries(values).map(([name, value]) => `${name}=${quote}${value}${quote}`);
      const written = Object.fromEntries(Object.entries(values));
      expect(parseEnvFile(lines.join('\n'))).toEqual({ ok: true, values: written });
    }),
  );
});

test('never throws, and names a line that the text has', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('A', '=', '"', "'", ' ', '\n', '#', '\r\n', 'export ', '\0')), (parts) => {
      const text = parts.join('');
      const read = parseEnvFile(text);
      if (!read.ok) expect(read.line).toBeLessThanOrEqual(text.split('\n').length);
    }),
  );
});
