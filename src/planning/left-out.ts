import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import {
  canonical,
  type IsLeftOut,
  listTree,
  pathsInHistory,
  repositoriesIn,
  type TreeEntry,
  UnusableTree,
  pointerProblem,
} from '#host';
import { type Copied, isNamedLikeSuite, isSuite, SUITE_ENDING } from '#scenario';
import { isFolder, readText } from './file-checks.js';
import { leaveOutOfTask } from './left-out-of-task.js';
import { isResultsFolder } from './find-scenario-files.js';
import type { Project } from './project.js';

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
 * Leaves out of a folder what would tell an agent how it is judged: suites, scenarios, results and the paths in
 * `secret`, which are relative to the folder; of a skill, version control, too. A folder of a fixture or of checks that
 * is only named like one of suites stays, because the scenario may be about it.
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

const OTHERS = /(^|\/)\.(hg|svn|jj|bzr)$/;
const REMEDY =
  'remove the history from the fixture; setup.commands can make a new one (git init && git add -A && git commit -m base)';

/** The folder that a repository is about, as the beginning of paths; '' for the root of the tree. */
const treeOf = (repository: string): string => {
  const folder = dirname(repository);
  return folder === '.' ? '' : `${folder}/`;
};

/**
 * The reason why the history of a repository in a fixture would show an agent what is left out of the fixture, as a
 * sentence that begins with the path; null if it would not.
 */
async function historyProblem(
  root: string,
  entries: readonly TreeEntry[],
  leftOut: readonly string[],
): Promise<string | null> {
  const below = (tree: string): string | undefined => leftOut.find((path) => path.startsWith(tree));
  for (const repository of repositoriesIn(entries)) {
    const tree = treeOf(repository);
    const historyPaths = await pathsInHistory(join(root, repository));
    const found =
      historyPaths === null
        ? below(tree)
        : historyPaths.find(
            (path) =>
              isNamedLikeSuite(basename(path), false) ||
              leftOut.some((out) => `${tree}${path}` === out || `${tree}${path}/`.startsWith(out)),
          );
    if (found !== undefined)
      return `${join(root, repository)}: its history ${historyPaths === null ? 'may have' : 'has'} ${found}, which tells an agent how it is judged; ${REMEDY}`;
  }
  for (const { path } of entries.filter(({ path }) => OTHERS.test(path))) {
    const found = below(treeOf(path));
    if (found !== undefined)
      return `${join(root, path)}: its history may have ${found}, which tells an agent how it is judged; ${REMEDY}`;
  }
  return null;
}

/** The facts about a fixture or checks folder. */
export interface LookedAt {
  /** The reason why its files cannot be used; null if they can. */
  unusable: string | null;
  /** The paths that are not copied, relative to the folder; folders end with `/`. */
  leftOut: readonly string[];
}
export type CheckFolder = (folder: string, copied: 'fixture' | 'checks' | 'task') => Promise<LookedAt>;

/** Creates a check that looks at each folder only once, even if several scenarios use it. */
export function createFolderCheck(
  { fixturesPath, resultsPath }: Pick<Project, 'fixturesPath' | 'resultsPath'>,
  list: (folder: string, isLeftOut: IsLeftOut) => Promise<readonly TreeEntry[]> = listTree,
): CheckFolder {
  const looks = new Map<string, Promise<LookedAt>>();
  const look: CheckFolder = async (folder, copied) => {
    const secret = pathsIn(folder, [fixturesPath, resultsPath]);
    const { isLeftOut, leftOut } = copied === 'task' ? leaveOutOfTask(folder) : leaveOut(folder, copied, secret);
    try {
      const entries = await list(folder, isLeftOut);
      const initial = join(folder, 'initial-state');
      const unusable =
        pointerProblem(folder, entries) ??
        (isFolder(initial)
          ? pointerProblem(
              initial,
              await list(initial, (path, isFolder) => leavingOut(leftOut)(join('initial-state', path), isFolder)),
            )
          : null) ??
        (copied === 'fixture' ? await historyProblem(folder, entries, leftOut) : null);
      return { unusable, leftOut };
    } catch (error) {
      if (error instanceof UnusableTree) return { unusable: error.message, leftOut };
      throw error;
    }
  };
  return (folder, copied) => {
    const key = `${copied} ${folder}`;
    const found = looks.get(key) ?? look(folder, copied);
    looks.set(key, found);
    return found;
  };
}
