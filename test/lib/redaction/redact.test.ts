import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/lib/redaction/redact.js';
import { secretEncodings } from '../../../src/lib/redaction/redact-exact.js';

const R = '[REDACTED]';

describe('known secrets', () => {
  const secret = 'pa"ss /wörd+1';
  const masked = createRedactor({ secrets: [secret] });

  it.each([
    ['as it is', secret],
    ['escaped for JSON', JSON.stringify(secret).slice(1, -1)],
    ['escaped for JSON twice', JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ['encoded for a URL', encodeURIComponent(secret)],
    ['encoded for a form', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64 for URLs', Buffer.from(secret).toString('base64url')],
  ])('are masked %s', (_, form) => {
    expect(masked(`before ${form} after`)).toMatch(/^before \[REDACTED\]=* after$/);
  });

  it('are masked inside a longer base64 text at any alignment', () => {
    for (const user of ['a', 'ab', 'abc', 'abcd']) {
      const plain = createRedactor({ secrets: ['hunter2hunter2'] });
      const text = plain(Buffer.from(`${user}:hunter2hunter2:x`).toString('base64'));
      expect(text).toContain(R);
      expect(Buffer.from(text.replace(R, ''), 'base64').toString()).not.toContain('nter2hunte');
    }
  });

  it('are masked completely if they contain or overlap another', () => {
    const both = createRedactor({ secrets: ['abcdef', 'abcdef-longer', 'longer!tail'] });
    expect(both('x abcdef-longer y abcdef z')).toBe(`x ${R} y ${R} z`);
    expect(both('x abcdef-longer!tail y')).toBe(`x ${R} y`);
  });

  it('are ignored if shorter than 6 characters', () => {
    expect(createRedactor({ secrets: ['short', ''] })('short shorter')).toBe('short shorter');
  });

  it('are masked across lines and without their last newline', () => {
    expect(createRedactor({ secrets: ['line one\n{}\nline two\n'] })('a\nline one\n{}\nline two')).toBe(`a\n${R}`);
  });

  it('of several lines are masked even if one of the lines stands alone', () => {
    const plain = createRedactor({ secrets: ['first-line-of-it\r\nshort\nthe-last-line-of-it\n'] });
    expect(plain('a first-line-of-it b')).toBe(`a ${R} b`);
    expect(plain('the-last-line-of-it')).toBe(R);
    expect(plain('short')).toBe('short');
  });

  it('are masked even if a message was cut inside them', () => {
    const plain = createRedactor({ secrets: ['correct-horse-battery'] });
    expect(plain('it begins with "KEY=correct-horse-batt…"')).toBe(`it begins with "KEY=${R}…"`);
    expect(plain('exit 3: …orse-battery | done')).toBe(`exit 3: …${R} | done`);
    expect(plain('…ct-horse-battery, correct-ho…')).toBe(`…${R}, ${R}…`);
    expect(plain('a correct-horse… b')).toBe(`a ${R}… b`);
    // Too short to tell, or not a part that a cut would leave.
    expect(plain('corre… and …horse-batt and correct-horse')).toBe('corre… and …horse-batt and correct-horse');
    const quoted = createRedactor({ secrets: ['pa"ss\nword"s'] });
    expect(quoted(String.raw`stdout "pa\"ss\nwor…"`)).toBe(`stdout "${R}…"`);
  });

  it('leave no part of 6 or more characters, no matter where a message is cut', () => {
    const secret = 'kA9#z_q7-Lm2"w\\x';
    const plain = createRedactor({ secrets: [secret] });
    fc.assert(
      fc.property(fc.nat(200), fc.nat(40), (before, cut) => {
        const shown = JSON.stringify(`${'x'.repeat(before)}${secret}`.slice(0, before + cut) + '…');
        const left = plain(shown).replace(R, '');
        for (let at = 0; at + 6 <= secret.length; at++)
          expect(left).not.toContain(JSON.stringify(secret.slice(at, at + 6)).slice(1, -1));
      }),
    );
  });

  it('that are JSON documents leave JSON around them', () => {
    const secret = '{"kind":"account","id":"a-b-c"}';
    const text = createRedactor({ secrets: [secret] })(`{"credentials":${secret},"n":1}`);
    expect(JSON.parse(text)).toEqual({ credentials: R, n: 1 });
  });

  it('that are JSON are masked in every encoding, also if that is JSON on a line of its own', () => {
    const value = `"    #'&"`;
    const redactValue = createRedactor({ secrets: [value] });
    for (const form of Object.values(secretEncodings).flatMap((encode) => encode(value)))
      expect(redactValue(`before\n${form}\nafter`)).not.toContain(form);
  });

  it('that are numbers leave JSON valid', () => {
    expect(createRedactor({ secrets: ['12345678'] })('{"pin":12345678,"n":1}')).toBe(`{"pin":"${R}","n":1}`);
  });
});

describe('redaction of any text', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      ...['password', 'token', 'auth', 'Bearer ', ':', '=', ' ', '"', "'", '\\', '\\"', '\n', '{', '}', '[', ']', ','],
      ...[R, 'sk-', 'sk-ant-', 'a1b2c3d4e5f6g7h8i9j0', '@', 'example.com', '/home/', 'ann', 'C:\\Users\\', '$', '://'],
      ...['eyJabcdef.', 'secret-one', 'one-two', '-----BEGIN PRIVATE KEY-----', 'null', '12', '{"token":"x"}'],
    ),
  );
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
  const both = createRedactor({ secrets: ['secret-one', 'one-two', 'REDACTED'] });

  it('gives the same result when applied twice', () => {
    fc.assert(
      fc.property(text, (any) => {
        expect(both(both(any))).toBe(both(any));
      }),
      { numRuns: 3000 },
    );
  });

  it('leaves no known secrets', () => {
    fc.assert(
      fc.property(text, (any) => {
        expect(both(any)).not.toMatch(/secret-one|one-two/);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ...[
      'a',
      '"',
      '\\',
      ' ',
      '/',
      ':',
      '@',
      '-',
      'eyJ',
      'eyJabcdef.',
      'sk-',
      'sk-ant-',
      'a.',
      'AKIA',
      'password',
      '://',
    ],
    ...[
      'password="',
      "password='",
      'password=\\"',
      'password: ',
      'token=a',
      'auth=\\',
      'Bearer ',
      '/home/',
      'C:\\Users\\',
    ],
    ...[
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN ',
      '{"a":',
      '["\\"',
      'a@',
      'a@a.',
      'C:\\Users\\a b ',
      '\\n',
      'secret-on',
    ],
  ])('takes linear time on 400,000 characters of %j', (repeated) => {
    const line = repeated.repeat(400_000 / repeated.length);
    for (const any of [line, `password="${line}`, JSON.stringify({ line }), `-----BEGIN PRIVATE KEY-----${line}`]) {
      expect(typeof both(any)).toBe('string');
    }
  });
});
