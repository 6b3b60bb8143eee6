import { shellWord } from '../lib/shell-word.js';
import { splitCommands } from '../results/transcript/split-commands.js';

export const NO_DENO =
  'Deno was not found, which agent scripts need: install it (https://deno.com), or add it to the project with `npm install --save-dev deno`';

/** What a script's README does not allow is refused, not asked for; and nobody waits for news of Deno. */
export const DENO_ENV = { DENO_NO_PROMPT: '1', DENO_NO_UPDATE_CHECK: '1' } as const;

/** What Deno can be allowed, by the flags that say so (https://docs.deno.com/runtime/fundamentals/security/). */
const PERMISSIONS = ['read', 'write', 'net', 'env', 'run', 'sys', 'ffi', 'import'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** A `deno run` command, in parts. */
export interface DenoCommand {
  /** As written, permissions among them. */
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
/** `<file>`, `[dir]`, `[--count <n>]`, `<file>...`: a placeholder to people, and a redirection or a pattern to a shell. */
const PLACEHOLDER =
  /(?:<[^\s<>[\]|;&]+(?: [^\s<>[\]|;&]+)*>|\[(?! )(?:[^<>[\]|;&\n]|<[^\s<>[\]|;&]+>)+\])(?:\.\.\.)?/g;

/**
 * A plain `deno run` command: one without pipes, redirections and other commands. Placeholders like `<file>` and `[count]`
 * are taken as they are. A message where it is anything else.
 */
export function parseDenoCommand(line: string): DenoCommand | string {
  const placeholders: string[] = [];
  const plain = line.replace(PLACEHOLDER, (found) => {
    placeholders.push(found);
    return `@${placeholders.length - 1}@`;
  });
  if (/[<>]/.test(plain.replaceAll(/'[^']*'|"[^"]*"/g, '')))
    return 'expected a plain command, without redirections';
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

/** The first argument that only stands for one, like `<file>`: a command with it is not for a shell. */
export const placeholderIn = ({ args }: DenoCommand): string | undefined =>
  args.find((arg) => /^[<[].*[>\]](\.\.\.)?$/.test(arg));

/** What flags allow: each permission with its values, empty where it is allowed without limits. */
export function permissionsOf(flags: readonly string[]): Map<Permission | 'all', string[]> {
  const allowed = new Map<Permission | 'all', string[]>();
  for (const flag of flags) {
    const [name, values] = splitOnce(flag);
    const named = permissionsNamed(name);
    for (const permission of named) allowed.set(permission, []);
    // Of several behind one dash, the last has the values.
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

/** The command as text for `sh`. */
export const shellLine = ({ flags, program, args }: DenoCommand): string =>
  ['deno', 'run', ...[...flags, program, ...args].map(shellWord)].join(' ');
