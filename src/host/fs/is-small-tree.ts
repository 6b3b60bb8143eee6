import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const ENTRIES = 200;
const BYTES = 4 * 1024 * 1024;

/** True if a folder can be copied or removed in a moment. Stops once it is too large. A missing folder is small. */
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
    return []; // gone, or unreadable, which takes no time either
  }
}
