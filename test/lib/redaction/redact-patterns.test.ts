import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/lib/redaction/redact.js';

const redact = createRedactor({ secrets: [] });
const R = '[REDACTED]';

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
