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
  existsSync,
  mkdirSync,
} from 'node:fs';
import { sep, dirname } from 'node:path';

/** A flag of Linux that Node does not define: locates a file without opening it, so that no FIFO or device notices. */
const O_PATH = 0o10000000;
const CHUNK = 1024 * 1024;
const FINDING = process.platform === 'linux' ? O_PATH : constants.O_RDONLY | constants.O_NONBLOCK;

/** Returns the path of an open descriptor's own file, even if the original path now leads elsewhere (Linux only). */
const placeOf = (descriptor: number, path: string): string =>
  process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : path;

/** Returns the real path of an open descriptor. */
const realPlace = (descriptor: number, path: string): string =>
  process.platform === 'linux' ? readlinkSync(placeOf(descriptor, path)) : realpathSync(path);

/** Opens a path, calls `use` with the descriptor, and closes it. */
function withOpen<T>(path: string, flags: number, use: (descriptor: number) => T): T {
  const descriptor = openSync(path, flags);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Finds `path` below `root`, which must not be a symlink, and calls `use` with what it found and a path at which to
 * open it. Follows symlinks, and checks where they have led, so that nothing can be exchanged in between. Returns null
 * if that is outside `root`.
 *
 * @throws what `open` throws
 */
export function findInside<T>(root: string, path: string, use: (info: Stats, place: string) => T): T | null {
  const { O_DIRECTORY, O_NOFOLLOW } = constants;
  return withOpen(root, FINDING | O_DIRECTORY | O_NOFOLLOW, (folder) => {
    const realRoot = realPlace(folder, root);
    // Not with `join`, which removes `..` together with the part before it: after a symlink, `..` leads elsewhere.
    const full = `${placeOf(folder, root)}/${path}`;
    return withOpen(full, FINDING, (found) => {
      const real = realPlace(found, full);
      const isInside = real === realRoot || real.startsWith(realRoot + sep);
      return isInside ? use(fstatSync(found), placeOf(found, full)) : null;
    });
  });
}

/** The file is larger than the limit, perhaps because it has grown since it was checked. */
class TooLarge extends Error {}

/**
 * Returns the content of a file below `root`, found as by `findInside`; null if there is no regular file. `limit` is in
 * bytes.
 *
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

/** Restores the owner's access to a folder, which the owner may have removed. Does nothing if there is a symlink. */
export function restoreAccess(folder: string): void {
  const { O_DIRECTORY, O_NOFOLLOW } = constants;
  try {
    withOpen(folder, FINDING | O_DIRECTORY | O_NOFOLLOW, (found) => {
      const { mode, uid } = fstatSync(found);
      if ((mode & 0o700) === 0o700 || uid !== process.getuid?.()) return;
      chmodSync(placeOf(found, folder), (mode & 0o7777) | 0o700);
    });
  } catch {
    // Gone, or not ours: whoever needs it reports that.
  }
}

/**
 * Creates a folder below `base`, with the missing ones between them, but never `base` itself: if someone has moved it
 * away, a new one in its place would keep them from putting it back. Returns the folders that were created, from the
 * outermost.
 *
 * One by one, because Node's recursive `mkdir` never returns below /proc.
 *
 * @throws Error with the code ENOENT if `base` does not exist
 */
export function createBelow(base: string, folder: string): string[] {
  if (folder === base || existsSync(folder)) return [];
  const created = createBelow(base, dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o755 });
    return [...created, folder];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return created;
  }
}
