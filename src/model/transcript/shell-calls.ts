import { splitCommands, type SimpleCommand } from './split-commands.js';

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const KEYWORD = /^(?:if|then|elif|else|while|until|do|!|\{)$/;
const WRAPPER =
  /^(?:sudo|env|time|timeout|nice|nohup|exec|xargs|npx|bunx|uvx|bash|sh|zsh|node|bun|tsx|python3?|ruby|perl)$/;
const SHELL = /^(?:bash|sh|zsh)$/;
const DURATION = /^\d[\d.]*[smhd]?$/;
const MAX_NESTED_SHELLS = 3;

/** Returns the last part of a path, whether it has slashes or backslashes. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Returns what a simple command runs: the words from `binary` on, or the script of a `sh -c`; null for neither. */
function runs(words: string[], binary: string | null): { words: string[] } | { script: string } | null {
  let wrapped = false;
  let shell = false;
  for (const [index, word] of words.entries()) {
    if (ASSIGNMENT.test(word)) continue;
    if (wrapped && word.startsWith('-')) {
      if (shell && /^-[a-z]*c$/.test(word)) return { script: words[index + 1] ?? '' };
      continue;
    }
    const program = baseName(word);
    if (program === binary) return { words: words.slice(index) };
    if (WRAPPER.test(program)) {
      wrapped = true;
      shell = SHELL.test(program);
    } else if (!KEYWORD.test(word) && !(wrapped && DURATION.test(word))) return null;
  }
  return null;
}

/**
 * Returns the simple commands of a script; `sh -c '...'` is replaced by the commands in it. `words` begins at the call
 * of `binary`, after assignments, wrappers such as sudo, and interpreters. It is empty for calls of other programs.
 */
export function shellCalls(script: string, binary: string | null, depth = 0): SimpleCommand[] {
  return splitCommands(script).flatMap(({ line, words, decides }) => {
    const found = runs(words, binary);
    if (found === null) return [{ line, words: [], decides }];
    if ('words' in found) return [{ line, words: found.words, decides }];
    if (depth >= MAX_NESTED_SHELLS) return [];
    return shellCalls(found.script, binary, depth + 1).map((call) => ({
      ...call,
      decides: call.decides && decides,
    }));
  });
}

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

/**
 * The first argument that is no option, nor the `run` of Deno and Bun; undefined if code is given instead of a file.
 */
function fileIn(args: readonly string[], code: RegExp): string | undefined {
  const found = args.find((arg) => arg !== 'run' && (!arg.startsWith('-') || code.test(arg)));
  return found === undefined || code.test(found) ? undefined : found;
}
