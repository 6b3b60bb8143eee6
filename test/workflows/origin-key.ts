import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { originKey as keyOf } from '../../src/store/origin.js';

/**
 * A folder for results and state, removed after the test file, and the key that proves what a command started there.
 */
export async function originKey(): Promise<{ folder: string; key: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const key = await keyOf({ resultsPath: folder, stateFolder: folder });
  return { folder, key };
}
