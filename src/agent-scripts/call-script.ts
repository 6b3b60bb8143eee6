import type { CommandResult } from '#lib';
import { readScriptAnswer, type ScriptAnswer } from './answer.js';
import { DENO_ENV, shellLine, type DenoCommand } from './deno-command.js';
import { scriptPaths } from './script-name.js';

/** A script to call, as a scenario names it. */
export interface ScriptCall {
  script: string;
  args: readonly string[];
}

/** Access to the place where the script is. */
export interface ScriptPlace {
  /** Returns the text of a file, by its path from the project's root. Null if there is none, or it is not text. */
  read(path: string): Promise<string | null>;
  /** The same for the checks folder, whose scripts come first. Absent if it must not be used. */
  readInChecks?(path: string): Promise<string | null>;
  /** Runs a command by `sh -c` in the project's root. */
  exec(command: string): Promise<CommandResult>;
}

/** `broken`: the script has no usable README, or breaks the contract. `no_deno`: nothing is known of the script. */
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
  const hidden = (await place.readInChecks?.(paths.readme)) ?? null;
  const text = hidden ?? (await place.read(paths.readme));
  if (text === null) return broken(`there is no agent script '${paths.name}': no ${paths.readme} in the workspace`);
  // Imported at the first call, so that checking scenarios does not load a Markdown parser.
  const { parseReadme, usageCommand } = await import('./readme.js');
  const usage = usageCommand(parseReadme(text));
  if (typeof usage === 'string') return broken(`${paths.readme}: ${usage}`);
  const command: DenoCommand = { flags: usage.flags, program: paths.source, args: [...args] };
  const line = shellLine(command, hidden === null ? '' : '"$LLM_TOOL_TEST_CHECKS"/');
  const result = await place.exec([...VARIABLES, line].join(' '));
  if (lacksDeno(result)) return { kind: 'no_deno', line, result };
  const read = readScriptAnswer(result, timeoutSecs);
  return read.ok
    ? { kind: 'answered', answer: read.answer, line, result }
    : { kind: 'broken', problem: `${paths.name} broke the contract: ${read.problem}`, line, result };
}

/** True if the shell did not find Deno. A script that exits with 127 itself has other output. */
const lacksDeno = ({ exitCode, stdoutBytes, stderr }: CommandResult): boolean =>
  exitCode === 127 && stdoutBytes === 0 && /\bdeno\b/.test(stderr);
