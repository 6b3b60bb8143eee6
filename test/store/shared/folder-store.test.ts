import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { createFolderStore } from '../../../src/store/shared/folder-store.js';
import { storeContract } from './contract.js';

describe('a shared folder', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'shared-folder-')), 'not', 'there', 'yet');
  // eslint-disable-next-line @typescript-eslint/require-await -- other stores are opened asynchronously
  storeContract(async () => createFolderStore(folder));
});
