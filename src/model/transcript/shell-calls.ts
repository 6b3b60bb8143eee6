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
