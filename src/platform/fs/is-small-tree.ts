import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const ENTRIES = 200;
const BYTES = 4 * 1024 * 1024;

/** Whether a folder is copied or removed in a moment. The look ends where it is too large; what is not there is small. */
export function isSmallTree(root: string): boolean {
  let [entries, bytes] = [0, 0];
  const open = [root];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      entries += 1;
      if (entry.isDirectory()) open.push(path);
      else bytes += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (entries > ENTRIES || bytes > BYTES) return false;
    }
  }
  return true;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // gone; or not to be read, which costs no time either
  }
}
