import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/lib/redaction/redact.js';
import { createLineRedactor } from '../../../src/lib/redaction/redact-key-block.js';

const redact = createRedactor({ secrets: [] });
const R = '[REDACTED]';

const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
});
const KEY_TEXT = String(KEY).trim();
const bodyLines = KEY_TEXT.split('\n').slice(1, -1);
/** The lines of the key that leaked, at least in part. */
const leaks = (text: string): string[] =>
  bodyLines.flatMap((line) => (text.replaceAll('\\/', '/').includes(line.slice(0, 24)) ? [line] : []));

const byLines = (text: string): string => text.split('\n').map(createLineRedactor(redact)).join('\n');

describe('a private key', () => {
  it('becomes one marker in a text', () => {
    expect(redact(`a\n${KEY_TEXT}\nb`)).toBe(`a\n${R}\nb`);
  });

  it.each([
    ['as it is', KEY_TEXT],
    ['with numbers before its lines', KEY_TEXT.replace(/^/gm, () => '    12→')],
    ['with numbers and tabs', KEY_TEXT.replace(/^/gm, () => '     7\t')],
    ['quoted with >', KEY_TEXT.replace(/^/gm, '> ')],
    ['in a string of JSON', JSON.stringify({ key: KEY_TEXT })],
    ['in JSON in JSON', JSON.stringify(JSON.stringify({ key: KEY_TEXT }))],
    ['in JSON with escaped slashes', JSON.stringify({ key: KEY_TEXT }).replaceAll('/', '\\/')],
    ['in half a line of JSON', JSON.stringify({ key: KEY_TEXT }).slice(3)],
    ['as strings of a program', bordered(bodyLines.map((line) => `"${line}\\n" +`))],
    ['with CRLF', KEY_TEXT.replaceAll('\n', '\r\n')],
  ])('is masked %s', (_, text) => {
    const around = `before it\n${text}\nafter it, done`;
    for (const masked of [redact(around), byLines(around)]) {
      expect(leaks(masked)).toEqual([]);
      expect(masked).toMatch(/^before it\n/);
      expect(masked).toMatch(/after it, done$/);
    }
  });

  it('is masked including a short last line', () => {
    const short = bordered([...bodyLines.slice(0, -1), 'ab3Kd']);
    expect(byLines(short)).not.toContain('ab3Kd');
    expect(redact(short)).not.toContain('ab3Kd');
  });

  it('is masked if each line is in a separate event, which stays JSON', () => {
    const lines = [...KEY_TEXT.split('\n').slice(0, -1), `x\n${bodyLines[0] ?? ''}`];
    const events = lines.map((text, id) => JSON.stringify({ type: 'text', id, text: `${text}\n` })).join('\n');
    const masked = byLines(events);
    expect(leaks(masked)).toEqual([]);
    expect(masked.split('\n').map((event) => JSON.parse(event) as unknown)).toMatchObject(
      lines.map((_, id) => ({ type: 'text', id })),
    );
  });

  it('is masked if it begins but never ends', () => {
    expect(leaks(redact(KEY_TEXT.slice(0, 900)))).toEqual([]);
    expect(leaks(byLines(KEY_TEXT.slice(0, 900)))).toEqual([]);
    const line = createLineRedactor(redact);
    line('-----BEGIN PRIVATE KEY-----');
    // A following word counts as part of the key; a sentence or much later text does not.
    expect(line('this is: a sentence (not a key)')).toBe('this is: a sentence (not a key)');
    for (let count = 0; count < 400; count++) line('x y');
    expect(line(bodyLines[0] ?? '')).toBe(bodyLines[0]);
  });

  it('is masked if only its end is present', () => {
    const tail = KEY_TEXT.slice(500);
    expect(leaks(redact(`…${tail}`).slice(1))).toEqual([]);
    expect(redact(`x (y) ${'word '.repeat(5)}\n-----END PRIVATE KEY-----`)).toContain('word word');
  });

  it('is masked no matter where the output is cut', () => {
    const text = `{"a": ${JSON.stringify(KEY_TEXT)}}\n${KEY_TEXT}\nend`;
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(text.length), (one, other) => {
        const piece = text.slice(0, Math.max(one, other));
        expect(leaks(redact(piece))).toEqual([]);
        expect(leaks(byLines(piece))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('leaves other lines of the stream alone', () => {
    const line = createLineRedactor(redact);
    const plain = 'a'.repeat(64);
    expect(line(plain)).toBe(plain);
    line(KEY_TEXT.split('\n')[0] ?? '');
    line(bodyLines[0] ?? '');
    line('-----END PRIVATE KEY-----');
    expect(line(plain)).toBe(plain);
  });
});

function bordered(lines: string[]): string {
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----'].join('\n');
}
