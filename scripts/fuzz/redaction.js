// Checks that no known secret remains in any surrounding text, and that redacting twice changes nothing more.
import { createBytesRedactor } from '../../src/lib/redaction/redact-bytes.ts';
import { createRedactor } from '../../src/lib/redaction/redact.ts';
import { encodings } from '../../src/lib/redaction/redact-exact.ts';
import { expect } from './expect.js';
import { mutated, sentence } from './mutate.js';

const CONTEXT = [
  ...[
    'password',
    'token',
    'api_key',
    'Authorization: ',
    'Bearer ',
    'Basic ',
    '=',
    ': ',
    ':=',
    '"',
    "'",
    '\\"',
    '\\',
    '\\n',
    '\n',
    ' ',
    ',',
  ],
  ...[
    'sk-',
    'sk-ant-',
    'AKIA',
    'ghp_',
    'eyJ',
    '.',
    '-',
    '_',
    'a1b2c3d4e5f6g7h8i9j0',
    '@',
    'example.com',
    '/home/',
    'ann',
    '://',
    'user:',
  ],
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
    '[REDACTED]',
    '[REDACTED',
    '[',
    ']',
    '{',
    '}',
    '{"a":',
    '"}',
    'null',
    '12',
    '…',
  ],
  ...['C:\\Users\\', '$', '${', '&', '<', '%41', '%', '+', 'x'],
];
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const ODD = [
  '',
  '',
  '"',
  '\\',
  ' ',
  '/',
  '+',
  '=',
  '\n',
  'é',
  '😀',
  '.*',
  '$&',
  '%',
  "'",
  '[',
  'REDACTED',
  '…',
  '{"k":"v"}',
];

/** Returns a secret that is too long to occur anywhere by chance. */
function anySecret(random) {
  const part = () => Array.from({ length: 6 + random.below(12) }, () => random.pick(LETTERS)).join('');
  return part() + random.pick(ODD) + part();
}

function planted(random) {
  const secrets = [anySecret(random), ...random.times(2, () => anySecret(random))];
  if (random.chance(0.2)) secrets.push(secrets[0].slice(3) + anySecret(random)); // overlaps the first secret
  const pieces = random.times(12, () => {
    if (random.chance(0.6)) return sentence(random, CONTEXT, 3);
    const form = random.pick(encodings(random.pick(secrets)));
    if (random.chance(0.2)) return JSON.stringify({ [sentence(random, CONTEXT, 2)]: form, n: [form] });
    return random.chance(0.1) ? form.slice(0, random.below(form.length + 1)) : form;
  });
  const text = pieces.join('');
  return { secrets, text: random.chance(0.1) ? mutated(random, [text]) : text };
}

function checkRedaction({ secrets, text }) {
  const redact = createRedactor({ secrets });
  const once = redact(text);
  for (const secret of secrets) {
    for (const form of encodings(secret)) expect(!once.includes(form), 'a secret is left', form, text, once);
  }
  expect(redact(once) === once, 'redacted twice is something else', text, once, redact(once));
  let json = null;
  try {
    json = JSON.parse(text);
  } catch {
    return; // not JSON, so it need not remain JSON
  }
  if (json !== null && typeof json === 'object') JSON.parse(once);
}

function checkBytes({ secrets, text, binary }) {
  const bytes = Buffer.from(binary ? `\0${text}` : text);
  const masked = createBytesRedactor({ secrets })(bytes) ?? bytes;
  for (const secret of secrets) expect(!masked.includes(Buffer.from(secret)), 'a secret is left', secret, text);
  expect(!binary || masked.length === bytes.length, 'a binary file has another length');
}

export const targets = [
  { name: 'redaction', share: 0.5, make: planted, check: checkRedaction },
  {
    name: 'redaction-bytes',
    make: (random) => ({ ...planted(random), binary: random.chance(0.5) }),
    check: checkBytes,
  },
];
