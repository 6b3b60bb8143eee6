import { shellWord } from '#lib';
import { splitCommands } from '#model';

export const NO_DENO =
  'Deno was not found, which agent scripts need: install it (https://deno.com), or add it to the project with `npm install --save-dev deno`';

/** Makes Deno deny permissions that are not in the README, rather than ask for them, and skip its check for updates. */
export const DENO_ENV = { DENO_NO_PROMPT: '1', DENO_NO_UPDATE_CHECK: '1' } as const;

/** Deno's permissions, as its flags name them (https://docs.deno.com/runtime/fundamentals/security/). */
const PERMISSIONS = ['read', 'write', 'net', 'env', 'run', 'sys', 'ffi', 'import'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The parts of a `deno run` command. */
export interface DenoCommand {
  /** As written, including permissions. */
  flags: string[];
  /** Path of the program. */
  program: string;
  args: string[];
}

const SHORT: Readonly<Record<string, Permission | 'all'>> = {
  R: 'read',
  W: 'write',
  N: 'net',
  E: 'env',
  S: 'sys',
  I: 'import',
  A: 'all',
};
/** Placeholders for people, which a shell would read differently: `<file>`, `[dir]`, `[--count <n>]`, `<file>...`. */
const PLACEHOLDER = /(?:<[^\s<>[\]|;&]+(?: [^\s<>[\]|;&]+)*>|\[(?! )(?:[^<>[\]|;&\n]|<[^\s<>[\]|;&]+>)+\])(?:\.\.\.)?/g;

/**
 * Parses a plain `deno run` command, without pipes, redirections or other commands. Keeps placeholders like `<file>`
 * and `[count]` as they are. Returns a message if it is anything else.
 */
export function parseDenoCommand(line: string): DenoCommand | string {
  const placeholders: string[] = [];
  const plain = line.replace(PLACEHOLDER, (found) => {
    placeholders.push(found);
    return `@${placeholders.length - 1}@`;
  });
  if (/[<>]/.test(plain.replaceAll(/'[^']*'|"[^"]*"/g, ''))) return 'expected a plain command, without redirections';
  const commands = splitCommands(plain);
  const [command] = commands;
  if (commands.length !== 1 || command === undefined)
    return 'expected one plain command, without pipes and other commands';
  const words = command.words.map((word) =>
    word.replace(/@(\d+)@/g, (whole, index: string) => placeholders[Number(index)] ?? whole),
  );
  if (words[0] !== 'deno' || words[1] !== 'run') return 'expected a command that begins with `deno run`';
  const at = words.findIndex((word, index) => index > 1 && !word.startsWith('-'));
  const program = words[at];
  if (program === undefined) return 'names no program after `deno run`';
  return { flags: words.slice(2, at), program, args: words.slice(at + 1) };
}

/** Returns the first argument that is a placeholder, like `<file>`. A command with placeholders cannot be run. */
export const placeholderIn = ({ args }: DenoCommand): string | undefined =>
  args.find((arg) => /^[<[].*[>\]](\.\.\.)?$/.test(arg));

/** Returns the permissions that flags grant, with their values. Empty values mean a permission without limits. */
export function permissionsOf(flags: readonly string[]): Map<Permission | 'all', string[]> {
  const allowed = new Map<Permission | 'all', string[]>();
  for (const flag of flags) {
    const [name, values] = splitOnce(flag);
    const named = permissionsNamed(name);
    for (const permission of named) allowed.set(permission, []);
    // If there are several letters after a dash, the values belong to the last one.
    const last = named.at(-1);
    if (last !== undefined && values !== undefined) allowed.set(last, values.split(','));
  }
  return allowed;
}

function permissionsNamed(flag: string): (Permission | 'all')[] {
  if (flag === '--allow-all') return ['all'];
  const letters = /^-(\w+)$/.exec(flag)?.[1] ?? '';
  return flag.startsWith('--')
    ? PERMISSIONS.filter((permission) => flag === `--allow-${permission}`)
    : Array.from(letters).flatMap((letter) => SHORT[letter] ?? []);
}

function splitOnce(flag: string): [string, string | undefined] {
  const at = flag.indexOf('=');
  return at === -1 ? [flag, undefined] : [flag.slice(0, at), flag.slice(at + 1)];
}

/** The command as text for `sh`. `folder` is put before the program as it is, so that it may have a variable. */
export const shellLine = ({ flags, program, args }: DenoCommand, folder = ''): string =>
  ['deno', 'run', ...flags.map(shellWord), `${folder}${shellWord(program)}`, ...args.map(shellWord)].join(' ');
