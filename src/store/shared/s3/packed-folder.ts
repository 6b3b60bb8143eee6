import { mkdtemp, readFile, lstat, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beginningOf } from '../../../lib/format/truncate.js';

const MESSAGE_LENGTH = 300;

/** Calls `use` with a new private folder, and removes it afterwards. */
export async function withScratchFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Packs a folder into an archive. Names stay what they are, byte for byte, which not every library can do. */
export async function packFolder(folder: string, archive: string): Promise<void> {
  await execa('tar', ['-C', folder, '-czf', archive, '.'], { stdin: 'ignore' });
}

/** Unpacks an archive into an existing folder. */
export async function unpackFolder(archive: string, folder: string): Promise<void> {
  await execa('tar', ['-C', folder, '-xzopf', archive], { stdin: 'ignore' });
}

/** Returns the contents of one file of an archive, which is unpacked into `scratch`; null if it has no such file. */
export async function unpackFile(archive: string, path: string, scratch: string): Promise<Buffer | null> {
  const options = { stdin: 'ignore', env: { LC_ALL: 'C' }, reject: false } as const;
  const { failed, stderr } = await execa('tar', ['-C', scratch, '-xzof', archive, `./${path}`], options);
  if (failed) {
    if (/not found in archive/i.test(stderr)) return null;
    throw new Error(`cannot unpack ${path}: ${beginningOf(stderr, MESSAGE_LENGTH)}`);
  }
  const file = join(scratch, path);
  return (await lstat(file)).isFile() ? readFile(file) : null;
}
