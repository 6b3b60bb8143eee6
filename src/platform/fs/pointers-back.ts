import { readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import type { TreeEntry } from './tree.js';

/*
 * Version control leaves pointers in a folder: to the repository of a worktree, to objects of another clone, to a remote. In a copy
 * they still point to the original, so that an agent would commit into it.
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
    of: /(^|\/)(\.hg\/sharedpath|\.jj\/repo)$/,
    what: 'points to the repository of another folder',
    remedy: 'use a clone',
    targets: (text, from) => ({ from, to: lines(text) }),
  },
];

/** The settings of a repository that lead out of the tree, each with what to do. */
const SETTINGS: readonly { of: RegExp; remedy: (key: string) => string }[] = [
  { of: /^core\.worktree$/, remedy: () => 'run git config --unset core.worktree' },
  { of: /^include(if\..*)?\.path$/, remedy: (key) => `remove the section of ${key}` },
  {
    of: /^remote\..*\.(push)?url$/,
    remedy: (key) => `run git remote remove ${key.split('.').slice(1, -1).join('.')}`,
  },
];

/** The settings in a config file of git, with sections and names in lower case. */
function settingsIn(text: string): { key: string; value: string }[] {
  let section = '';
  return text.split('\n').flatMap((line) => {
    const [, name, sub] = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line) ?? [];
    if (name !== undefined) section = `${name.toLowerCase()}${sub === undefined ? '' : `.${sub}`}`;
    const [, key = '', value = ''] = /^(?:\s*\[[^\]]*\])?\s*([\w-]+)\s*=\s*"?(.*?)"?\s*$/.exec(line) ?? [];
    return key === '' ? [] : [{ key: `${section}.${key.toLowerCase()}`, value }];
  });
}

/** True if the value of a setting is a path that leads out of the tree. An address has a protocol, or a host before a colon. */
function leadsOut(folder: string, key: string, value: string): boolean {
  if (!key.startsWith('remote.')) return leavesTree(folder, value);
  if (/^file:/i.test(value)) return true;
  return !/^[\w+.-]+:\/\/|^[^/]+:/.test(value) && leavesTree(dirname(folder), value);
}

/** True if a file is the config of a repository: it is beside a HEAD and a folder of objects. */
const isConfig = (path: string, paths: ReadonlySet<string>): boolean =>
  basename(path) === 'config' && ['HEAD', 'objects'].every((name) => paths.has(join(dirname(path), name)));

/**
 * The reason why a copy of a tree would point back to something outside it, as a sentence that begins with the path; null if it would not.
 * Pointers from one place in the tree to another are right in a copy, too.
 */
export function whyPointsBack(root: string, entries: readonly TreeEntry[]): string | null {
  const paths = new Set(entries.map(({ path }) => path));
  for (const { kind, path } of entries) {
    if (kind !== 'file') continue;
    const full = join(root, path);
    const folder = dirname(path);
    const pointer = POINTERS.find(({ of }) => of.test(path));
    if (pointer !== undefined) {
      const { from, to } = pointer.targets(readFileSync(full, 'utf8'), folder);
      if (to.some((one) => leavesTree(from, one))) return `${full}: ${pointer.what}; ${pointer.remedy}`;
    } else if (isConfig(path, paths))
      for (const { key, value } of settingsIn(readFileSync(full, 'utf8'))) {
        const setting = SETTINGS.find(({ of }) => of.test(key));
        if (setting !== undefined && leadsOut(folder, key, value))
          return `${full}: ${key} leads out of the folder (${value}); ${setting.remedy(key)}`;
      }
  }
  return null;
}
