import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { UsageError } from '../../../src/lib/errors/usage-error.js';
import { fingerprintOf, parseKeys, readCodecKeys, settleCodecKeys } from '../../../src/engine/codec/codec-keys.js';

const HEX = 'ab'.repeat(32);
const folders: string[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function keyFile(text: string, mode = 0o600): string {
  const folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-keys-'));
  folders.push(folder);
  const file = join(folder, 'keys');
  writeFileSync(file, text);
  chmodSync(file, mode);
  vi.stubEnv('LLM_TOOL_TEST_CODEC_KEYS', file);
  return file;
}

test('reads keys in order, and ignores empty lines and comments', () => {
  keyFile(`# rotated in June\nk2 ${HEX}\n\nk1\t${'CD'.repeat(32)}\r\n`);
  expect(readCodecKeys().map(({ id, key }) => [id, key.toString('hex')])).toEqual([
    ['k2', HEX],
    ['k1', 'cd'.repeat(32)],
  ]);
});

test('without the variable there are no keys', () => {
  vi.stubEnv('LLM_TOOL_TEST_CODEC_KEYS', '');
  expect(readCodecKeys()).toEqual([]);
  expect(fingerprintOf([])).toBe('');
});

test.each([
  ['', 'contains no key; expected one key per line, as <id> <64 hexadecimal digits>'],
  [HEX, ':1: not a key; expected one key per line'],
  [`k1 ${HEX}\nk2 ${HEX.slice(2)}`, ':2: not a key'],
  [`k1 ${HEX}ff`, ':1: not a key'],
  [`k 1 ${HEX}`, ':1: not a key'],
  [`k1 ${HEX}\nk1 ${HEX}`, ":2: the id 'k1' is used twice"],
])('refuses the text %j', (text, message) => {
  keyFile(text);
  expect(() => readCodecKeys()).toThrow(message);
});

test('no message contains a part of the file, which may be a key', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, maxLength: 200 }), (text) => {
      try {
        parseKeys(text, 'keys');
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
        const { message } = error as UsageError;
        for (const line of text.split(/\r?\n/).map((one) => one.trim()))
          if (line.length >= 8) expect(message).not.toContain(line);
      }
    }),
  );
});

test.each([0o604, 0o620, 0o644, 0o666])('refuses a file with the mode %o', (mode) => {
  const file = keyFile(`k1 ${HEX}\n`, mode);
  expect(() => readCodecKeys()).toThrow(`${file} can be read or changed by other users; run chmod 600 ${file}`);
});

test.each([0o400, 0o600, 0o440, 0o640])('accepts a file with the mode %o', (mode) => {
  keyFile(`k1 ${HEX}\n`, mode);
  expect(readCodecKeys()).toHaveLength(1);
});

test('says that the file is missing', () => {
  vi.stubEnv('LLM_TOOL_TEST_CODEC_KEYS', '/nowhere/keys');
  expect(() => readCodecKeys()).toThrow('/nowhere/keys cannot be read (ENOENT)');
});

test('the fingerprint changes with ids, keys and their order, and contains no key', () => {
  const one = parseKeys(`k1 ${HEX}\nk2 ${'cd'.repeat(32)}`, 'keys');
  const fingerprint = fingerprintOf(one);
  expect(fingerprintOf([...one].reverse())).not.toBe(fingerprint);
  expect(fingerprintOf(parseKeys(`k1 ${HEX}\nk2 ${'ce'.repeat(32)}`, 'keys'))).not.toBe(fingerprint);
  expect(fingerprint).not.toContain(HEX.slice(0, 12));
});

test('makes the path absolute for processes in other folders', () => {
  vi.stubEnv('LLM_TOOL_TEST_CODEC_KEYS', 'keys');
  settleCodecKeys();
  expect(process.env['LLM_TOOL_TEST_CODEC_KEYS']).toBe(join(process.cwd(), 'keys'));
});
