import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/lib/redaction/redact.js';

const redact = createRedactor({ secrets: [] });
const R = '[REDACTED]';

describe('values of flags', () => {
  it.each([
    ['login --password hunter2 --verbose', `login --password ${R} --verbose`],
    ['tool --api-key abc123def', `tool --api-key ${R}`],
    ['tool --apikey abc123def; ls', `tool --apikey ${R}; ls`],
    ['tool --token ab12-cd34/ef', `tool --token ${R}`],
    ['tool --auth-token "two words" x', `tool --auth-token "${R}" x`],
    ["tool --db-password 'pa ss' x", `tool --db-password '${R}' x`],
    ['tool --client-secret s3cr3t', `tool --client-secret ${R}`],
    ['terraform -secret abcdef12', `terraform -secret ${R}`],
    ['data: "\\n--password hunter2"', `data: "\\n--password ${R}"`],
    [String.raw`run \"tool --password hunter2\"`, String.raw`run \"tool --password ${R}\"`],
    ['--token correcthorse', `--token ${R}`],
    ['{"argv":["tool","--password","hunter2","x"]}', `{"argv":["tool","--password","${R}","x"]}`],
    ['{"command":"tool --token \\"a b c d\\""}', `{"command":"tool --token \\"${R}\\""}`],
  ])('are masked in %j', (text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(expected)).toBe(expected);
  });

  it.each([
    ...['--token-limit 5', '--token-limit 500000', '--password-file path/to/secret', '--secret-name my-database'],
    ...['--api-key-file ~/.key', '--token 5', '--max-token 4096', '--password $PASSWORD', '--token ${TOKEN}'],
    ...['--password "$PASSWORD"', '--token "$(cat token)"', '--token $(cat token)', '--token `cat token`'],
    ...['--password <password>', '--token [token]', '--token TOKEN', '--api-key API_KEY', '--password string'],
    ...['--password   The password of the account', 'with --password you are asked', 'the --token option is new'],
    ...['--password is required', 'use --token to log in', 'give --api-key or set it', '--password --verbose'],
    ...['--no-token-check something', 'a--password hunter2x', 'src/--token-parser.ts readable', '--token'],
    ...['mkdir -p some/folder', 'ssh -p 2222 host12', '--tokens three-of-them', '--tokenizer fast-bpe'],
    ...[
      '{"argv":["tool","--token-limit","500000"]}',
      '{"argv":["--password","--verbose-mode"]}'.replace('--verbose-mode', ''),
    ],
  ])('leave %j alone', (text) => {
    expect(redact(text)).toBe(text);
  });
});
