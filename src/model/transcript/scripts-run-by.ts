import { splitCommands } from './split-commands.js';

/** Programs that run the file that is named first, with the options after which code or a module follows instead. */
const INTERPRETERS: readonly (readonly [program: RegExp, code: RegExp])[] = [
  [/^(sh|bash|dash|ksh|zsh|\.|source)$/, /^-\w*c$/],
  [/^(node|bun|tsx|deno|perl|ruby|php|lua|Rscript)$/, /^(-[epr]|--eval|--print)$/],
  [/^(python|pypy)[\d.]*$/, /^-[cm]$/],
];
/** Words before a command that are no command: keywords, assignments, programs that run the rest. */
const BEFORE = /^(if|then|else|elif|while|until|do|!|\{|time|exec|env|command|nohup|\w+=.*)$/s;
const WORKSPACE = /^\$\{?LLM_TOOL_TEST_FIXTURE_DIR\}?\//;

/**
 * Returns the files that a shell command runs as scripts, by the paths in the command, if these are relative to the
 * workspace: `./check.sh` and `node check.mjs`. Ignores what follows `cd`, after which paths mean something else.
 */
export function scriptsRunBy(command: string): string[] {
  const found: string[] = [];
  for (const { words } of splitCommands(command)) {
    const [program, ...args] = words.slice(words.findIndex((word) => !BEFORE.test(word)));
    if (program === undefined) continue;
    if (program === 'cd' || program === 'pushd') break;
    const code = INTERPRETERS.find(([name]) => name.test(program))?.[1];
    const script = program.includes('/') ? program : code === undefined ? undefined : fileIn(args, code);
    const path = script?.replace(WORKSPACE, '');
    if (path !== undefined && !/^[/$~]/.test(path)) found.push(path);
  }
  return found;
}

/** The first argument that is no option, nor the `run` of Deno and Bun; undefined if code is given instead of a file. */
function fileIn(args: readonly string[], code: RegExp): string | undefined {
  const found = args.find((arg) => arg !== 'run' && (!arg.startsWith('-') || code.test(arg)));
  return found === undefined || code.test(found) ? undefined : found;
}
