/**
 * How a path of this machine looks inside the sandbox: `empty` folder; `masked` file that cannot be opened; `scratch`
 * folder (empty, writable, discarded at the end); `readable`; `writable`.
 */
export type Look = 'empty' | 'masked' | 'scratch' | 'readable' | 'writable';

export interface Rule {
  /** Absolute. None of its parent folders is a symlink that a rule hides. */
  path: string;
  look: Look;
}

const MOUNT: Record<Look, (path: string) => string[]> = {
  empty: (path) => ['--tmpfs', path],
  masked: (path) => ['--ro-bind', '/dev/null', path], // in a bind mount of bwrap, devices cannot be opened
  scratch: (path) => ['--tmpfs', path],
  readable: (path) => ['--ro-bind', path, path],
  writable: (path) => ['--bind', path, path],
};

/** For each look of a rule, the looks of the place above it for which the rule makes a difference. */
const CHANGES: Record<Look, readonly Look[]> = {
  empty: ['readable'],
  masked: ['readable'],
  scratch: ['readable', 'empty'],
  readable: ['empty', 'scratch'],
  writable: ['empty', 'scratch', 'readable'],
};

export const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/**
 * Arguments of bwrap that make everything readable except for the rules. The nearest rule above a path decides; of two
 * rules for the same path, the later one.
 */
export function bubblewrapArgs(rules: readonly Rule[], workspace: string): string[] {
  const byPath = new Map(rules.map((rule) => [rule.path, rule]));
  byPath.delete('/'); // a rule for everything would hide all programs
  const kept: Rule[] = [];
  // A folder is sorted before its contents.
  for (const rule of [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const above = kept.findLast(({ path }) => isBelow(rule.path, path))?.look ?? 'readable';
    if (CHANGES[rule.look].includes(above)) kept.push(rule);
  }
  return [
    // A /proc of its own namespace: through another process's /proc, its view of the files could be entered.
    ...['--unshare-pid', '--unshare-ipc', '--die-with-parent'],
    // Otherwise root could undo all of this.
    ...['--cap-drop', 'ALL'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    // Kernel settings, which root can write without any capability.
    ...['/proc/sys', '/proc/sysrq-trigger'].flatMap((path) => ['--ro-bind-try', path, path]),
    ...kept.flatMap(({ path, look }) => MOUNT[look](path)),
    // Last, because mount points had to be created in them first.
    ...kept.flatMap(({ path, look }) => (look === 'empty' ? ['--remount-ro', path] : [])),
    ...['--chdir', workspace],
  ];
}
