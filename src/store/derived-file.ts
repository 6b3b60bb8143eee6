import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { temporaryName } from '#host';

/**
 * Writes a file below the folder `index/` of a state folder, from which it can be made again at any time. Readers see the old or the
 * new one. Returns false, and does no harm, where there is no state folder, or nothing can be written.
 */
export function writeDerived(file: string, text: string): boolean {
  const folder = dirname(file);
  // whoever only reads results must not create a state folder
  if (statSync(dirname(folder), { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  const temporary = temporaryName(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
    return true;
  } catch {
    try {
      rmSync(temporary, { force: true });
    } catch {
      // Then it was not made either.
    }
    return false;
  }
}
