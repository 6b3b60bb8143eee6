import { isAlive, projectState } from '#host';
import { UsageError } from '#lib';
import { CODEC_KEYS, fingerprintOf, readCodecKeys } from './codec/codec-keys.js';
import { readEngineState, type EngineState } from './engine-state.js';

/**
 * Returns the fingerprint of our keys for payloads. A running engine that encrypts is not replaced by one without keys, which
 * could not continue its sweeps.
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
