import { constants, copyFileSync, type Stats } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';

/** Read once. The only way to read it is to set it for a moment, in which another thread could create a file. */
const umask = process.umask(0o077);
process.umask(umask);

/** Applies the user's umask to a mode, and removes what lets others write, or act as the owner. */
export const publicMode = (mode: number): number => mode & 0o755 & ~umask;

/** Larger files are not copied: that would take minutes and fill the disk, and no test needs them. */
export const MAX_COPY = 4 * 1024 ** 3;
const CHUNK = 4 * 1024 * 1024;
/** Smaller files are copied synchronously, because the thread pool would cost more than the copy. */
const SMALL = 64 * 1024;

/** Copies the content of a file, by reference if the file system supports it. Sparse files stay sparse. */
export async function copyContent(from: string | Buffer, to: string | Buffer, info: Stats): Promise<void> {
  if (info.size <= SMALL) {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    return;
  }
  const isSparse = info.size > CHUNK && info.blocks * 512 < info.size;
  if (!isSparse) return copyFile(from, to, constants.COPYFILE_FICLONE);
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE);
  } catch {
    await copySparsely(from, to);
  }
}

/** Node's own copy fills the holes: a sparse file of a gigabyte would take a gigabyte. */
async function copySparsely(from: string | Buffer, to: string | Buffer): Promise<void> {
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'w', 0o600);
    try {
      const chunk = Buffer.alloc(CHUNK);
      const zeros = Buffer.alloc(CHUNK);
      let at = 0;
      for (;;) {
        const { bytesRead } = await source.read(chunk, 0, CHUNK, at);
        if (bytesRead === 0) break;
        const isHole = chunk.compare(zeros, 0, bytesRead, 0, bytesRead) === 0;
        if (!isHole) await target.write(chunk, 0, bytesRead, at);
        at += bytesRead;
      }
      await target.truncate(at);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
