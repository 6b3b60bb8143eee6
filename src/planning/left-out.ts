import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, relative } from 'node:path';
import { canonical } from '../platform/folders.js';
import type { IsLeftOut } from '../platform/fs/tree.js';
import { isNamedLikeSuite, isSuite, SUITE_ENDING, type Copied } from '../scenario/suites/is-suite.js';
import { readText } from './file-checks.js';
import { isResultsFolder } from './find-scenario-files.js';

/** Version control of its own. */
const HISTORY = ['.git', '.hg', '.svn', '.jj', '.bzr'];

/** In bytes. A larger file is data, and would take long to read. */
const LOOKED_AT = 1024 * 1024;

/** Paths relative to a folder, of those in it; '' for the folder itself. */
export const pathsIn = (folder: string, paths: readonly string[]): string[] =>
  paths.flatMap((one) => {
    const path = relative(realpathSync(folder), canonical(one));
    return path === '..' || path.startsWith('../') || isAbsolute(path) ? [] : [path];
  });

/** The files that are passed over when a folder is copied. */
export interface LeavingOut {
  isLeftOut: IsLeftOut;
  /** The paths passed over until now; folders end with `/`. */
  leftOut: string[];
}

/**
 * Leaves out of a folder what would tell an agent how it is judged: suites, scenarios, results and the paths in `secret`, which are
 * relative to the folder; of a skill, version control, too. A folder of a fixture or of checks that is only named like one of suites
 * stays, because the scenario may be about it.
 */
export function leaveOut(root: string, copied: Copied, secret: readonly string[]): LeavingOut {
  const leftOut: string[] = [];
  const isFileOut = (full: string): boolean => {
    const name = basename(full);
    if (isNamedLikeSuite(name, false)) return true;
    if (!SUITE_ENDING.test(name)) return false;
    // The size of a skill is limited without what is left out.
    const isData = copied !== 'skill' && (statSync(full, { throwIfNoEntry: false })?.size ?? 0) > LOOKED_AT;
    return !isData && isSuite(name, readText(full) ?? '', copied);
  };
  const isFolderOut = (full: string): boolean =>
    isResultsFolder(full) ||
    (isNamedLikeSuite(basename(full), true) && (copied === 'skill' || contains(full, isFileOut)));
  return {
    leftOut,
    isLeftOut(path, isFolder) {
      const full = join(root, path);
      const isOut =
        (copied === 'skill' && HISTORY.includes(basename(path))) ||
        secret.includes(path) ||
        (isFolder ? isFolderOut(full) : isFileOut(full));
      if (isOut) leftOut.push(isFolder ? `${path}/` : path);
      return isOut;
    },
  };
}

/** Returns whether a file for which `is` returns true is below a folder. */
function contains(folder: string, is: (full: string) => boolean): boolean {
  try {
    return readdirSync(folder, { withFileTypes: true }).some((entry) => {
      const full = join(folder, entry.name);
      return entry.isDirectory() ? contains(full, is) : is(full);
    });
  } catch {
    return false; // copying it reports why
  }
}

/** The same choice again, for entries of the folder as they are listed later. */
export const leavingOut =
  (leftOut: readonly string[]): IsLeftOut =>
  (path, isFolder) =>
    leftOut.includes(isFolder ? `${path}/` : path);
