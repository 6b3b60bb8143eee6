import { basename, dirname, join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { IsLeftOut } from '#host';
import { readText } from './file-checks.js';

const IGNORE_FILE = '.harborignore';
/** Parts of a task folder that its runs are given: all but what the image is built of. */
const GIVEN = /^(tests|solution|steps)(\/|$)/;
/** Paths in a folder of tests or solutions, where files with rules count. */
const RULED = /(^|\/)(tests|solution)\//;

/** Leaves out of a task folder what is neither a test nor a solution, and what files `.harborignore` name. */
export function leaveOutOfTask(root: string): { isLeftOut: IsLeftOut; leftOut: string[] } {
  const leftOut: string[] = [];
  const known = new Map<string, Ignore>();
  const rulesOf = (folder: string): Ignore => {
    const found = known.get(folder) ?? ignore().add(readText(join(root, folder, IGNORE_FILE)) ?? '');
    known.set(folder, found);
    return found;
  };
  const isIgnored = (path: string, isFolder: boolean): boolean => {
    let result = false;
    for (const folder of ['', ...foldersAbove(path).filter((above) => RULED.test(`${above}/`))]) {
      const below = folder === '' ? path : path.slice(folder.length + 1);
      const { ignored, unignored } = rulesOf(folder).test(isFolder ? `${below}/` : below);
      result = ignored || (result && !unignored);
    }
    return result;
  };
  return {
    leftOut,
    isLeftOut(path, isFolder) {
      const isOut =
        !GIVEN.test(path) || basename(path) === IGNORE_FILE || (RULED.test(path) && isIgnored(path, isFolder));
      if (isOut) leftOut.push(isFolder ? `${path}/` : path);
      return isOut;
    },
  };
}

/** `a` and `a/b` for `a/b/c`. */
const foldersAbove = (path: string): string[] => {
  const above = dirname(path);
  return above === '.' ? [] : [...foldersAbove(above), above];
};
