import {
  chmodSync,
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { sep } from 'node:path';

/** Of Linux, which Node does not name: to find a place without opening it, so that no FIFO or device takes notice. */
const O_PATH = 0o10000000;
const CHUNK = 1024 * 1024;
const FINDING = process.platform === 'linux' ? O_PATH : constants.O_RDONLY | constants.O_NONBLOCK;

/** The place that a descriptor stands for, whatever its path leads to by now; elsewhere than on Linux, the path. */
const placeOf = (descriptor: number, path: string): string =>
  process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : path;

/** Where a descriptor really is. */
const realPlace = (descriptor: number, path: string): string =>
  process.platform === 'linux' ? readlinkSync(placeOf(descriptor, path)) : realpathSync(path);

/** Does something with what is opened, and closes it. */
function withOpen<T>(path: string, flags: number, use: (descriptor: number) => T): T {
  const descriptor = openSync(path, flags);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Finds `path` below `root`, which may be no symlink, and hands over what it found, by a place to open it at. Symlinks are
 * followed, and judged by where they have led: nothing can be put in between. Gives null for what is outside.
 * @throws what `open` throws
 */
export function findInside<T>(root: string, path: string, use: (info: Stats, place: string) => T): T | null {
  const { O_DIRECTORY, O_NOFOLLOW } = constants;
  return withOpen(root, FINDING | O_DIRECTORY | O_NOFOLLOW, (folder) => {
    const realRoot = realPlace(folder, root);
    // As it is: to join would take `..` for the folder that it is written after, and not for the one above that.
    const full = `${placeOf(folder, root)}/${path}`;
    return withOpen(full, FINDING, (found) => {
      const real = realPlace(found, full);
      const isInside = real === realRoot || real.startsWith(realRoot + sep);
      return isInside ? use(fstatSync(found), placeOf(found, full)) : null;
    });
  });
}

/** Too much has come into the file since it was looked at. */
class TooLarge extends Error {}

/**
 * The content of a file below `root`, as `findInside` finds it; null where there is no regular file.
 * @throws TooLarge, and what `open` throws
 */
export async function readInside(root: string, path: string, limit: number): Promise<Buffer | null> {
  const descriptor = findInside(root, path, (info, place) =>
    info.isFile() ? openSync(place, constants.O_RDONLY | constants.O_NONBLOCK) : null,
  );
  if (descriptor === null) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of createReadStream('', { fd: descriptor, highWaterMark: CHUNK })) {
    bytes += (chunk as Buffer).length;
    if (bytes > limit) throw new TooLarge(path);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Gives its owner access to a folder again, who may have taken it away from itself. Not where a symlink stands. */
export function restoreAccess(folder: string): void {
  const { O_DIRECTORY, O_NOFOLLOW } = constants;
  try {
    withOpen(folder, FINDING | O_DIRECTORY | O_NOFOLLOW, (found) => {
      const { mode, uid } = fstatSync(found);
      if ((mode & 0o700) === 0o700 || uid !== process.getuid?.()) return;
      chmodSync(placeOf(found, folder), (mode & 0o7777) | 0o700);
    });
  } catch {
    // Gone, or not ours: who needs it says so.
  }
}
