import type { CommandResult } from '../lib/command-result.js';
import { readScriptAnswer, type ScriptAnswer } from './answer.js';
import { DENO_ENV, shellLine, type DenoCommand } from './deno-command.js';
import { scriptPaths } from './script-name.js';

/** A script that is to be called, as a scenario names it. */
export interface ScriptCall {
  script: string;
  args: readonly string[];
}

/** What a call needs of the place where the script is. */
export interface ScriptPlace {
  /** Text of a file by its path from the project's root; null where there is none, or it is no text. */
  read(path: string): Promise<string | null>;
  /** Runs a command by `sh -c` in the project's root. */
  exec(command: string): Promise<CommandResult>;
}

/** `broken`: the script has no README to go by, or breaks the contract. `no_deno`: nothing can be said of it. */
export type Called =
  | { kind: 'answered'; answer: ScriptAnswer; line: string; result: CommandResult }
  | { kind: 'broken'; problem: string; line: string; result: CommandResult | null }
  | { kind: 'no_deno'; line: string; result: CommandResult };

const VARIABLES = Object.entries(DENO_ENV).map(([name, value]) => `${name}=${value}`);

/** Calls an agent script as its README says, with the permissions stated there and no others. */
export async function callScript(
  { script, args }: ScriptCall,
  timeoutSecs: number,
  place: ScriptPlace,
): Promise<Called> {
  const paths = scriptPaths(script);
  const broken = (problem: string): Called => ({ kind: 'broken', problem, line: script, result: null });
  if (paths === null) return broken(`'${script}' is not the name of an agent script`);
  const text = await place.read(paths.readme);
  if (text === null)
    return broken(`there is no agent script '${paths.name}': no ${paths.readme} in the workspace`);
  // Loaded when the first script is called: whoever only checks scenarios waits for no reader of Markdown.
  const { parseReadme, usageCommand } = await import('./readme.js');
  const usage = usageCommand(parseReadme(text));
  if (typeof usage === 'string') return broken(`${paths.readme}: ${usage}`);
  const command: DenoCommand = { flags: usage.flags, program: paths.source, args: [...args] };
  const line = shellLine(command);
  const result = await place.exec([...VARIABLES, line].join(' '));
  if (lacksDeno(result)) return { kind: 'no_deno', line, result };
  const read = readScriptAnswer(result, timeoutSecs);
  return read.ok
    ? { kind: 'answered', answer: read.answer, line, result }
    : { kind: 'broken', problem: `${paths.name} broke the contract: ${read.problem}`, line, result };
}

/** A shell names the command that it did not find; a script that ends with this status does not break off so. */
const lacksDeno = ({ exitCode, stdoutBytes, stderr }: CommandResult): boolean =>
  exitCode === 127 && stdoutBytes === 0 && /\bdeno\b/.test(stderr);
