/**
 * How a place of this machine looks from inside: an `empty` folder, a `masked` file that cannot be opened, a `scratch` folder (empty,
 * to write into and lost at the end), itself to read, or itself to write.
 */
export type Look = 'empty' | 'masked' | 'scratch' | 'readable' | 'writable';

export interface Rule {
  /** Absolute, without symlinks above it that a rule hides. */
  path: string;
  look: Look;
}

const MOUNT: Record<Look, (path: string) => string[]> = {
  empty: (path) => ['--tmpfs', path],
  masked: (path) => ['--ro-bind', '/dev/null', path], // devices cannot be opened in what bwrap binds
  scratch: (path) => ['--tmpfs', path],
  readable: (path) => ['--ro-bind', path, path],
  writable: (path) => ['--bind', path, path],
};

/** Looks of a place below which a rule changes something. */
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
 * Arguments of bwrap by which everything is readable but for the rules. The rule nearest above a place decides; of two for
 * the same place, the later one.
 */
export function bubblewrapArgs(rules: readonly Rule[], workspace: string): string[] {
  const byPath = new Map(rules.map((rule) => [rule.path, rule]));
  byPath.delete('/'); // a rule for everything would leave no programs
  const kept: Rule[] = [];
  // A folder sorts before what is in it.
  for (const rule of [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const above = kept.findLast(({ path }) => isBelow(rule.path, path))?.look ?? 'readable';
    if (CHANGES[rule.look].includes(above)) kept.push(rule);
  }
  return [
    // /proc of a namespace of its own: through that of another process, its view of the files could be entered.
    ...['--unshare-pid', '--unshare-ipc', '--die-with-parent'],
    // Root could undo all of it otherwise.
    ...['--cap-drop', 'ALL'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    // Settings of the kernel, which root may write to without any capability.
    ...['/proc/sys', '/proc/sysrq-trigger'].flatMap((path) => ['--ro-bind-try', path, path]),
    ...kept.flatMap(({ path, look }) => MOUNT[look](path)),
    // Last: the places in them had to be made.
    ...kept.flatMap(({ path, look }) => (look === 'empty' ? ['--remount-ro', path] : [])),
    ...['--chdir', workspace],
  ];
}
