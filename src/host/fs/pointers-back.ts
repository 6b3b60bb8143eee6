import { readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import type { TreeEntry } from './tree.js';

/*
 * Version control leaves pointers in a folder: to the repository of a worktree, to objects of another clone, to a
 * remote. In a copy they still point to the original, so that an agent would commit into it.
 */

/** True if a path that is written in `folder` (relative to the root of the tree) leads out of the tree. */
function leavesTree(folder: string, to: string): boolean {
  if (posix.isAbsolute(to) || to.startsWith('~')) return true;
  const path = posix.normalize(posix.join(folder, to));
  return path === '..' || path.startsWith('../');
}

interface Pointer {
  of: RegExp;
  what: string;
  remedy: string;
  /** The paths in it, and the folder that they start from. */
  targets: (text: string, folder: string) => { from: string; to: string[] };
}

const lines = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || []);

/** The files of version control that name places, by their path. */
const POINTERS: readonly Pointer[] = [
  {
    of: /(^|\/)\.git$/,
    what: 'points to the repository of a worktree or submodule',
    remedy: 'make the folder a repository of its own: use a clone, or remove this file and run git init',
    targets: (text, from) => ({ from, to: [/^gitdir:\s*(.*?)\s*$/m.exec(text)?.[1] ?? '/'] }),
  },
  {
    of: /(^|\/)objects\/info\/alternates$/,
    what: 'borrows objects of another repository',
    remedy: 'run git repack -a -d there, and remove this file',
    targets: (text, from) => ({ from: dirname(from), to: lines(text) }),
  },
  {
    of: /(^|\/)commondir$/,
    what: 'makes the folder a part of another repository',
    remedy: 'use a clone',
    targets: (text, from) => ({ from, to: lines(text) }),
  },
  {
    of: /(^|\/)worktrees\/[^/]+\/gitdir$/,
    what: 'names a worktree elsewhere, which git could change or remove',
    remedy: 'use a clone, or remove the folder worktrees',
    targets: (text, from) => ({ from, to: lines(text) }),
  },
  {
    of: /(^|\/)\.git\/(branches|remotes)\/[^/]+$/,
    what: 'names a repository elsewhere',
    remedy: 'remove this file',
    targets: (text, from) => ({
      from,
      to: lines(text)
        .map((line) => line.replace(/^URL:\s*/, ''))
        .flatMap((line) => (isPlaceOutside(dirname(dirname(from)), line) ? ['/'] : [])),
    }),
  },
  {
    of: /(^|\/)\.jj\/repo\/store\/git_target$/,
    what: 'points to the repository of another folder',
    remedy: 'use a clone',
    targets: (text, from) => ({ from, to: lines(text) }),
  },
  {
    of: /(^|\/)(\.hg\/sharedpath|\.jj\/repo)$/,
    what: 'points to the repository of another folder',
    remedy: 'use a clone',
    targets: (text, from) => ({ from, to: lines(text) }),
  },
];

/** The remedy for a setting, by its key. */
function remedyFor(key: string): string {
  const name = key.split('.').slice(1, -1).join('.');
  if (/^remote\..+\./.test(key)) return `run git remote remove ${name}`;
  if (/^(include(if\..*)?|url\..*)\.[^.]+$/.test(key)) return `remove the section of ${key}`;
  return `run git config --unset-all ${key}, or edit the file`;
}

/** The settings in a config file of git, with sections and names in lower case. */
function settingsIn(text: string): { key: string; value: string }[] {
  let section = '';
  return text
    .replaceAll(/\\\r?\n/g, '')
    .split('\n')
    .flatMap((line) => {
      const [, name, sub] = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line) ?? [];
      if (name !== undefined) section = `${name.toLowerCase()}${sub === undefined ? '' : `.${sub}`}`;
      const [, key = '', value = ''] =
        /^(?:\s*\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])?\s*([\w-]+)\s*[=:]\s*((?:"(?:[^"\\]|\\.)*"|[^"#;])*)/.exec(line) ??
        [];
      const plain = value.replaceAll(/\\(.)|"/g, '$1').trim();
      return key === '' ? [] : [{ key: `${section}.${key.toLowerCase()}`, value: plain }];
    });
}

/** Settings that are a path or an address as a whole. Others may be a command line. */
const PATHS = /^(core\.worktree|include(if\..*)?\.path)$/;
const ADDRESSES = /^((remote|submodule|svn-remote)\..*url|branch\..*\.(push)?remote|remote\.pushdefault|paths\..*)$/;
/** Settings that give the agent a login of the user. */
const LOGINS = /^(credential\..*|http\.(.*\.)?(extraheader|cookiefile))$/;
/** Settings that are read by people only. */
const WORDS =
  /^((user|author|committer)\.name|branch\..*\.description|diff\..*(funcname|regex)|(format|pretty|color|log)\..*)$/;

/** The address that a setting has, or in place of which it puts another; null if it has none. */
const addressIn = (key: string, value: string): string | null =>
  ADDRESSES.test(key) ? value : (/^url\.(.*)\.(push)?insteadof$/.exec(key)?.[1] ?? null);

/** True if a word of a command line is a path that leads out of the tree. */
const isPathOutside = (tree: string, word: string): boolean =>
  /^file:/i.test(word) ||
  (word !== '/dev/null' && /^~[\w-]*(\/|$)|^\/[^/]|(^|\/)\.\.(\/|$)/.test(word) && leavesTree(tree, word));

const wordsIn = (commandLine: string): string[] =>
  commandLine.split(/[\s"'`=;|&()<>]+/).map((word) => word.replace(/^(-\w)?[!:,]*/, ''));

/** True if an address leads out of the tree. One on another machine has a protocol, or a host before a colon. */
function isPlaceOutside(tree: string, address: string): boolean {
  if (/^file:/i.test(address)) return true;
  return !/^[\w+.-]+:\/\/|^[^/]+:/.test(address) && leavesTree(tree, address);
}

/** The reason why a setting forbids copying its file; null if it is none. `folder`: that of the file. */
function refusedPathReason(folder: string, key: string, value: string): string | null {
  if (LOGINS.test(key)) return `${key} gives the agent a login`;
  const tree = dirname(folder);
  const address = addressIn(key, value);
  const isOut = PATHS.test(key)
    ? leavesTree(folder, value) || /^file:/i.test(value)
    : address !== null
      ? isPlaceOutside(tree, address)
      : !WORDS.test(key) && wordsIn(value).some((word) => isPathOutside(tree, word));
  return isOut ? `${key} leads out of the folder (${address ?? value})` : null;
}

/** True if a file is the config of a repository: it is beside a HEAD and a folder of objects. */
const isConfig = (path: string, paths: ReadonlySet<string>): boolean =>
  ['config', 'config.worktree'].includes(basename(path)) &&
  ['HEAD', 'objects'].every((name) => paths.has(join(dirname(path), name)));

/** The folders of a tree in which git keeps a repository. */
export function repositoriesIn(entries: readonly TreeEntry[]): string[] {
  const paths = new Set(entries.map(({ path }) => path));
  return [...new Set([...paths].filter((path) => isConfig(path, paths)).map(dirname))];
}

/**
 * The reason why a copy of a tree would point back to something outside it, as a sentence that begins with the path;
 * null if it would not. Pointers from one place in the tree to another are right in a copy, too.
 */
export function pointerProblem(root: string, entries: readonly TreeEntry[]): string | null {
  const paths = new Set(entries.map(({ path }) => path));
  for (const { kind, path } of entries) {
    if (kind !== 'file') continue;
    const full = join(root, path);
    const folder = dirname(path);
    const pointer = POINTERS.find(({ of }) => of.test(path));
    if (pointer !== undefined) {
      const { from, to } = pointer.targets(readFileSync(full, 'utf8'), folder);
      if (to.some((one) => leavesTree(from, one))) return `${full}: ${pointer.what}; ${pointer.remedy}`;
    } else if (isConfig(path, paths) || /(^|\/)(\.hg\/hgrc|\.gitmodules)$/.test(path))
      for (const { key, value } of settingsIn(readFileSync(full, 'utf8'))) {
        // In .gitmodules, a relative address is relative to that of the repository.
        if (basename(path) === '.gitmodules' && value.startsWith('.')) continue;
        const why = refusedPathReason(folder, key, value);
        if (why !== null) return `${full}: ${why}; ${remedyFor(key)}`;
      }
  }
  return null;
}
