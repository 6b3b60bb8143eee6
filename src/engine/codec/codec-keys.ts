import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { sha256, UsageError } from '#lib';
import { isAlive, projectState } from '#host';
import { readEngineState, type EngineState } from '../engine-state.js';

/** Names the file with the keys that encrypt what Temporal stores. Without it, nothing is encrypted. */
export const CODEC_KEYS = 'LLM_TOOL_TEST_CODEC_KEYS';

export interface CodecKey {
  id: string;
  /** 32 bytes */
  key: Buffer;
}

/**
 * The keys that the environment names; none without the variable. The first one encrypts, all decrypt.
 * @throws UsageError
 */
export function readCodecKeys(): CodecKey[] {
  const path = process.env[CODEC_KEYS] ?? '';
  return path === '' ? [] : parseKeys(readPrivate(path), path);
}

/** Makes the path absolute, because the processes of the engine have other working folders. */
export function settleCodecKeys(): void {
  const path = process.env[CODEC_KEYS] ?? '';
  if (path !== '') process.env[CODEC_KEYS] = resolve(path);
}

/** Tells key files apart without revealing keys: `<id>:<hash>` for each key. Empty without keys. */
export const fingerprintOf = (keys: readonly CodecKey[]): string =>
  keys.map(({ id, key }) => `${id}:${sha256(key).slice(0, 12)}`).join(' ');

const LINE = /^([A-Za-z0-9._-]{1,64})[ \t]+([0-9a-fA-F]{64})$/;

/** Reads the text of a key file. @throws UsageError */
export function parseKeys(text: string, path: string): CodecKey[] {
  const keys: CodecKey[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = line.trim();
    if (content === '' || content.startsWith('#')) continue;
    // The message must not contain the line, which may be a key.
    const [, id = '', hex = ''] = LINE.exec(content) ?? [];
    const isTwice = keys.some((known) => known.id === id);
    if (id === '' || isTwice)
      throw problem(`${path}:${index + 1}: ${isTwice ? `the id '${id}' is used twice` : `not a key; ${FORMAT}`}`);
    keys.push({ id, key: Buffer.from(hex, 'hex') });
  }
  if (keys.length === 0) throw problem(`${path} contains no key; ${FORMAT}`);
  return keys;
}

function readPrivate(path: string): string {
  try {
    const { mode } = statSync(path);
    if ((mode & 0o027) !== 0) throw problem(`${path} can be read or changed by other users; run chmod 600 ${path}`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw problem(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}); name a file that you can read, or unset the variable`,
    );
  }
}

const problem = (what: string): UsageError => new UsageError('codec_keys', `${CODEC_KEYS}: ${what}`);

const FORMAT =
  'expected one key per line, as <id> <64 hexadecimal digits>, for example the output of: echo "k1 $(openssl rand -hex 32)"';

/**
 * Returns the fingerprint of our keys for payloads. A running engine that encrypts is not replaced by one without keys,
 * which could not continue its sweeps.
 *
 * @throws UsageError if the key file cannot be used, or the engine has keys and we have none
 */
export function codecKeysFor(engine: Pick<EngineState, 'codecKeys' | 'keeper'> | null): string {
  const ours = fingerprintOf(readCodecKeys());
  const theirs = engine?.codecKeys ?? '';
  if (ours === '' && theirs !== '' && engine !== null && isAlive(engine.keeper))
    throw new UsageError(
      'codec_keys',
      `the engine encrypts payloads with the key '${theirs.split(':')[0] ?? ''}'; set ${CODEC_KEYS} to the file with this key`,
    );
  return ours;
}

/** The same check for a results folder, before anything is written. @throws UsageError */
export async function checkCodecKeys(resultsPath: string): Promise<void> {
  codecKeysFor(await readEngineState(projectState(resultsPath).folder));
}
