import { RE2JS } from 're2js';
import { baseName, shellCalls } from './shell-calls.js';
import { isStatusLine } from './text-result.js';

/** The program under test, from the scenario's `target`. */
export interface Target {
  /** A name or a path. */
  binary: string;
  /** An RE2 pattern. If it is null or blank, every call of the binary is a command. */
  commandPattern: string | null;
}

/** A call of the target: `name` is its subcommand, '' for the bare binary, `help` for any call with --help. */
interface NamedCommand {
  name: string;
  line: string;
  /** In a script: whether its exit status may be that of the whole script. */
  decides: boolean;
}

/** A call of the target's binary by the agent. A call whose result is unknown has not failed. */
export interface Command {
  name: string;
  line: string;
  failed: boolean;
}

/** Finds the target's commands in the command string of a tool call, and in one line of a text transcript. */
export interface CommandNamer {
  inScript: (script: string) => NamedCommand[];
  inText: (line: string) => NamedCommand[];
}

/** Shell prompts (`$ `, `user@host:~/work$ `, `[user@host work]# `), and `> `. */
const PROMPT = /^\s*(?:(?:[\w.-]+@[\w.-]+:[^\s$#]*|\[[\w.-]+@[^\]]*\])([$#])\s+|([$>])\s+)?/;
const FIRST_WORD = /^(?:[A-Za-z_]\w*=\S*\s+)*([^\s;|&]+)/;
const STATUS_NAME = /^(?:exit|error|failed)$/i;

function withHelp(name: string, words: string[], line: string, decides = true): NamedCommand {
  return { name: words.includes('--help') || name === 'help' ? 'help' : name, line, decides };
}

/** True for the prompt of a shell; false for `>`, which also marks quotations. */
const shellSign = (prompt: RegExpExecArray | null): boolean => prompt?.[1] !== undefined || prompt?.[2] === '$';

/** True if a line begins with the prompt of a shell. */
export const isPrompt = (line: string): boolean => shellSign(PROMPT.exec(line));

function binaryNamer(binary: string): CommandNamer {
  const inScript = (script: string): NamedCommand[] =>
    shellCalls(script, binary)
      .filter(({ words }) => words.length > 0)
      .map(({ line, words, decides }) => withHelp(words[1] ?? '', words, line, decides));
  const inText = (line: string): NamedCommand[] => {
    if (!line.includes(binary)) return [];
    const prompt = PROMPT.exec(line);
    const command = line.slice(prompt?.[0].length ?? 0);
    // Without a shell prompt, only a line that starts with the tool is a command: "if tool ..." is prose.
    const isCommand = shellSign(prompt) || baseName(FIRST_WORD.exec(command)?.[1] ?? '') === binary;
    return isCommand ? inScript(command) : [];
  };
  return { inScript, inText };
}

function patternNamer(pattern: RE2JS): CommandNamer {
  const find = (line: string): NamedCommand[] => {
    const matcher = pattern.matcher(line);
    if (!matcher.find()) return [];
    const group = (index: number): string | null => (index <= matcher.groupCount() ? matcher.group(index) : null);
    const words = line.trim().split(/\s+/);
    const name = (group(2) ?? group(1) ?? words[1] ?? '').trim();
    if (STATUS_NAME.test(name) && isStatusLine(line)) return [];
    return [withHelp(name === '--help' ? 'help' : name, words, line.trim())];
  };
  /** A pattern that is anchored at the tool's name must also match `$ tool` and `./tool`. */
  const findPrefixed = (line: string): NamedCommand[] => {
    const bare = line.replace(PROMPT, '').replace(/^\.\//, '');
    const found = bare === line ? [] : find(bare);
    return found.length > 0 ? found : find(line);
  };
  return {
    inScript: (script) =>
      shellCalls(script, null).flatMap(({ line, decides }) =>
        findPrefixed(line).map((found) => ({ ...found, decides })),
      ),
    inText: findPrefixed,
  };
}

const nothing: CommandNamer = { inScript: () => [], inText: () => [] };

/** Creates a finder of the target's commands. With an invalid pattern, which validation rejects, it finds none. */
export function createCommandNamer({ binary, commandPattern }: Target): CommandNamer {
  if (commandPattern === null || commandPattern.trim() === '') {
    const name = baseName(binary.trim());
    return name === '' ? nothing : binaryNamer(name);
  }
  try {
    return patternNamer(RE2JS.compile(commandPattern));
  } catch {
    return nothing;
  }
}
