import { basename, dirname, join } from 'node:path';
import { repositoriesIn } from '../platform/fs/pointers-back.js';
import type { TreeEntry } from '../platform/fs/tree.js';
import { pathsInHistory } from '../platform/git-history.js';
import { isNamedLikeSuite } from '../scenario/suites/is-suite.js';

const OTHERS = /(^|\/)\.(hg|svn|jj|bzr)$/;
const REMEDY =
  'remove the history from the fixture; setup.commands can make a new one (git init && git add -A && git commit -m base)';

/** The folder that a repository is about, as the beginning of paths; '' for the root of the tree. */
const treeOf = (repository: string): string => {
  const folder = dirname(repository);
  return folder === '.' ? '' : `${folder}/`;
};

/**
 * The reason why the history of a repository in a fixture would show an agent what is left out of the fixture, as a sentence that begins
 * with the path; null if it would not.
 */
export async function whyHistoryTells(
  root: string,
  entries: readonly TreeEntry[],
  leftOut: readonly string[],
): Promise<string | null> {
  const below = (tree: string): string | undefined => leftOut.find((path) => path.startsWith(tree));
  for (const repository of repositoriesIn(entries)) {
    const tree = treeOf(repository);
    const told = await pathsInHistory(join(root, repository));
    const found =
      told === null
        ? below(tree)
        : told.find(
            (path) =>
              isNamedLikeSuite(basename(path), false) ||
              leftOut.some((out) => `${tree}${path}` === out || `${tree}${path}/`.startsWith(out)),
          );
    if (found !== undefined)
      return `${join(root, repository)}: its history ${told === null ? 'may have' : 'has'} ${found}, which tells an agent how it is judged; ${REMEDY}`;
  }
  for (const { path } of entries.filter(({ path }) => OTHERS.test(path))) {
    const found = below(treeOf(path));
    if (found !== undefined)
      return `${join(root, path)}: its history may have ${found}, which tells an agent how it is judged; ${REMEDY}`;
  }
  return null;
}
