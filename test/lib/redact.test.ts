import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBytesRedactor } from '../../src/lib/redact-bytes.js';
import { createRedactor } from '../../src/lib/redact.js';

const redact = createRedactor({ secrets: [] });
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

  it('are masked inside a longer base64 text, however they are aligned', () => {
    for (const user of ['a', 'ab', 'abc', 'abcd']) {
      const plain = createRedactor({ secrets: ['hunter2hunter2'] });
      const text = plain(Buffer.from(`${user}:hunter2hunter2:x`).toString('base64'));
      expect(text).toContain(R);
      expect(Buffer.from(text.replace(R, ''), 'base64').toString()).not.toContain('nter2hunte');
    }
  });

  it('are masked whole when they contain or overlap another', () => {
    const both = createRedactor({ secrets: ['abcdef', 'abcdef-longer', 'longer!tail'] });
    expect(both('x abcdef-longer y abcdef z')).toBe(`x ${R} y ${R} z`);
    expect(both('x abcdef-longer!tail y')).toBe(`x ${R} y`);
  });

  it('are ignored when shorter than 6 characters', () => {
    expect(createRedactor({ secrets: ['short', ''] })('short shorter')).toBe('short shorter');
  });

  it('are masked across lines and without their last newline', () => {
    expect(createRedactor({ secrets: ['line one\n{}\nline two\n'] })('a\nline one\n{}\nline two')).toBe(
      `a\n${R}`,
    );
  });

  it('of several lines are masked also where one of the lines stands alone', () => {
    const plain = createRedactor({ secrets: ['first-line-of-it\r\nshort\nthe-last-line-of-it\n'] });
    expect(plain('a first-line-of-it b')).toBe(`a ${R} b`);
    expect(plain('the-last-line-of-it')).toBe(R);
    expect(plain('short')).toBe('short');
  });

  it('are masked also where a message was cut inside them', () => {
    const plain = createRedactor({ secrets: ['correct-horse-battery'] });
    expect(plain('it begins with "KEY=correct-horse-batt…"')).toBe(`it begins with "KEY=${R}…"`);
    expect(plain('exit 3: …orse-battery | done')).toBe(`exit 3: …${R} | done`);
    expect(plain('…ct-horse-battery, correct-ho…')).toBe(`…${R}, ${R}…`);
    expect(plain('a correct-horse… b')).toBe(`a ${R}… b`);
    // Too little of it to tell, or no part that a cut would leave.
    expect(plain('corre… and …horse-batt and correct-horse')).toBe(
      'corre… and …horse-batt and correct-horse',
    );
    const quoted = createRedactor({ secrets: ['pa"ss\nword"s'] });
    expect(quoted(String.raw`stdout "pa\"ss\nwor…"`)).toBe(`stdout "${R}…"`);
  });

  it('leave nothing longer than they may be short, wherever a message is cut', () => {
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

  it('that are numbers leave JSON valid', () => {
    expect(createRedactor({ secrets: ['12345678'] })('{"pin":12345678,"n":1}')).toBe(`{"pin":"${R}","n":1}`);
  });
});

describe('patterns', () => {
  const abc = 'abcdefghijklmnopqrstuvwxyz0123456789';
  it.each([
    [`key sk-${abc} end`, `key ${R} end`],
    [`sk-ant-api03-Ab_c-${abc}`, R],
    [`sk-proj-Ab_c-${abc}`, R],
    ['Authorization: Bearer abc.def-123', `Authorization: Bearer ${R}`],
    ['Authorization: Basic dXNlcjpwYXNz', `Authorization: Basic ${R}`],
    ['auth: Bearer abcdef123', `auth: Bearer ${R}`],
    ['AKIAIOSFODNN7EXAMPLE and ASIAIOSFODNN7EXAMPLE', `${R} and ${R}`],
    ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY+KEY', `aws_secret_access_key = ${R}`],
    ['"SecretAccessKey": "wJalrXUtnFEMI/K7MDENG"', `"SecretAccessKey": "${R}"`],
    [`ghp_${abc} gho_${abc} ghu_${abc} ghs_${abc} ghr_${abc}`, `${R} ${R} ${R} ${R} ${R}`],
    [`github_pat_11ABC_${abc}`, R],
    ['AIzaSyA-1234567890_abcdefghijklmnopqrs', R],
    ['xoxb-1234567890-abcdef', R],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_123', R],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE+/=\nabc\n-----END RSA PRIVATE KEY-----\nrest', `${R}\nrest`],
    ['{"k":"-----BEGIN PRIVATE KEY-----\\nMIIE', `{"k":"${R}`],
    ['https://user:pass@example.com/x', `https://user:${R}@example.com/x`],
    ['password: hunter2', `password: ${R}`],
    ['DB_PASSWORD=hunter2 next', `DB_PASSWORD=${R} next`],
    ['passphrase = "two words" next', `passphrase = "${R}" next`],
    ["secret: 'it\\'s'", `secret: '${R}'`],
    ['export X_TOKEN=abc; ls', `export X_TOKEN=${R}; ls`],
    ['SOME_API_KEY=value', `SOME_API_KEY=${R}`],
    ['--api-key=abc --verbose', `--api-key=${R} --verbose`],
    ['?apikey=abc&page=2', `?apikey=${R}&page=2`],
    ['accessToken: "abc", x', `accessToken: "${R}", x`],
    ['data: {"api_key": "value", "n": 1}', `data: {"api_key": "${R}", "n": 1}`],
    ['{"a": "say \\"password\\": \\"x y\\""', `{"a": "say \\"password\\": \\"${R}\\""`],
    ['PASSWORD=$ecret', `PASSWORD=${R}`],
    ['mail ann.b+c@example.co.uk now', `mail ${R} now`],
    ['/home/ann/notes and /Users/ann/notes', '/home/[USER]/notes and /Users/[USER]/notes'],
    ['cd /home/ann', 'cd /home/[USER]'],
    ['/mnt/c/Users/ann/x', '/mnt/c/Users/[USER]/x'],
    ['C:\\Users\\Ann Lee\\x', 'C:\\Users\\[USER]\\x'],
    ['"C:\\\\Users\\\\ann\\\\x', '"C:\\\\Users\\\\[USER]\\\\x'],
    [`data: "\\nsk-${abc}\\nbob@example.com\\n/home/ann/x"`, `data: "\\n${R}\\n${R}\\n/home/[USER]/x"`],
  ])('mask %j', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    '"input_tokens": 12, "output_tokens": 3',
    '{"input_tokens":12,"max_token":5,"token":null,"auth":true,"tokens":"three"}',
    'token_usage: 5, max_tokens=5, tokens: 3, token: 12, password: null, auth=false',
    'data: {"token":null,"auth":{"type":"none"},"secret":[1,2]}',
    'the author: Ann, the tokenizer=fast, a secretary: Bob',
    'auth::login() if (token == other) token := ',
    'TOKEN=$API_TOKEN password=${PASSWORD}',
    'disk-usage-of-the-whole-system-and-more and risk-abcdefghijklmnopqrstuvwxyz',
    'Bearer authentication; the bearer of it',
    'git@github.com:org/repo.git pkg@1.2.3 @scope/name',
    'https://example.com/home/page/Users/x ./home/x',
    'commit 0123456789abcdef0123456789abcdef01234567 http://localhost:8080/a@b',
    '',
  ])('leave %j alone', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('JSON', () => {
  it('is redacted by its keys, also when it is pretty-printed, and keeps its numbers and blanks', () => {
    const text = '{\n  "api_key": "va\\"lue",\n  "n": 1.0,\n  "big": 12345678901234567890\n}\n';
    expect(redact(text)).toBe(`{\n  "api_key": "${R}",\n  "n": 1.0,\n  "big": 12345678901234567890\n}\n`);
  });

  it('is redacted line by line between lines of text', () => {
    expect(redact('password=ab\n{"x":"password=a\\"b"}\nend')).toBe(
      `password=${R}\n{"x":"password=${R}\\"b"}\nend`,
    );
  });

  const secret = fc.oneof(
    fc.string({ minLength: 6, maxLength: 20 }),
    fc.string({ unit: 'binary', minLength: 6, maxLength: 20 }),
    fc.constantFrom('quo"te\\slash', 'new\nline\tx', `sk-${'a1'.repeat(12)}`),
  );
  const planted = fc
    .tuple(
      secret,
      fc.array(fc.tuple(fc.string(), fc.string()), { minLength: 1, maxLength: 5 }),
      fc.jsonValue(),
    )
    .map(([value, around, other]) => ({
      value,
      line: JSON.stringify({
        other,
        list: around.map(([before, after]) => ({ [before + value]: before + value + after })),
        nested: JSON.stringify({ output: `x ${value} y` }),
        'quoted password': `password="${value}"`,
      }),
    }))
    // A value of few letters (or part of the marker) may be found in what masking leaves.
    .filter(({ value }) => value.trim() === value && !/^[[\]REDACTUS]+$/.test(value));

  const strings = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'object' && value !== null
        ? [...Object.keys(value), ...Object.values(value).flatMap(strings)]
        : [];

  it('stays JSON, and holds no planted secret any more', () => {
    fc.assert(
      fc.property(planted, ({ value, line }) => {
        const redacted = createRedactor({ secrets: [value] })(`${line}\n${line}`);
        for (const one of redacted.split('\n')) {
          const left = strings(JSON.parse(one));
          expect(left.filter((text) => text.includes(value))).toEqual([]);
          expect(left.filter((text) => text.includes(JSON.stringify(value).slice(1, -1)))).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('does not change when it is redacted again', () => {
    fc.assert(
      fc.property(planted, ({ value, line }) => {
        const once = createRedactor({ secrets: [value] });
        expect(once(once(line))).toBe(once(line));
      }),
      { numRuns: 300 },
    );
  });
});

describe('redaction of any text', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      ...[
        'password',
        'token',
        'auth',
        'Bearer ',
        ':',
        '=',
        ' ',
        '"',
        "'",
        '\\',
        '\\"',
        '\n',
        '{',
        '}',
        '[',
        ']',
        ',',
      ],
      ...[
        R,
        'sk-',
        'sk-ant-',
        'a1b2c3d4e5f6g7h8i9j0',
        '@',
        'example.com',
        '/home/',
        'ann',
        'C:\\Users\\',
        '$',
        '://',
      ],
      ...[
        'eyJabcdef.',
        'secret-one',
        'one-two',
        '-----BEGIN PRIVATE KEY-----',
        'null',
        '12',
        '{"token":"x"}',
      ],
    ),
  );
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
  const both = createRedactor({ secrets: ['secret-one', 'one-two', 'REDACTED'] });

  it('gives the same when it is done twice', () => {
    fc.assert(
      fc.property(text, (any) => {
        expect(both(both(any))).toBe(both(any));
      }),
      { numRuns: 3000 },
    );
  });

  it('leaves no known secret', () => {
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
  ])('takes linear time on a megabyte of %j', (repeated) => {
    const line = repeated.repeat(1_000_000 / repeated.length);
    for (const any of [
      line,
      `password="${line}`,
      JSON.stringify({ line }),
      `-----BEGIN PRIVATE KEY-----${line}`,
    ]) {
      expect(typeof both(any)).toBe('string');
    }
  });
});

describe('the exact redactor', () => {
  const exact = createBytesRedactor({ secrets: ['secret-value', 'secret-value-2', 'value-2-more', 'tiny'] });
  const masked = (text: string) => exact(Buffer.from(text))?.toString() ?? null;

  it('says when there is nothing to mask', () => {
    expect(masked('password=other tiny')).toBeNull();
  });

  it('masks known values only, whole where they overlap', () => {
    expect(masked('a secret-value b@example.com secret-value-2-more, secret-value-2')).toBe(
      `a ${R} b@example.com ${R}, ${R}`,
    );
  });

  it('keeps other bytes, and the length of a binary file', () => {
    const bytes = Buffer.concat([
      Buffer.from([0, 255, 254]),
      Buffer.from('secret-value'),
      Buffer.from([128, 0]),
    ]);
    const result = exact(bytes);
    expect(result).toEqual(
      Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(`${R}**`), Buffer.from([128, 0])]),
    );
  });
});
