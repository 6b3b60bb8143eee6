import { z } from 'zod';
import { isJsonObject, type Json } from '#lib';

/** The most seconds that a command of the `bash` tool may take, or a call of an MCP server. */
export const MAX_COMMAND_SECS = 600;
const COMMAND_SECS = 120;
const READ_LINES = 2000;

const tools = {
  bash: {
    description:
      'Runs a command with bash, or sh where there is none, in the working folder. Returns its output, stdout and stderr together, and its exit status. Each command has a shell of its own; processes that it leaves behind are ended.',
    input: z.object({
      command: z.string().min(1),
      timeout_secs: z
        .number()
        .int()
        .min(1)
        .max(MAX_COMMAND_SECS)
        .optional()
        .describe(`Seconds after which the command is ended; ${COMMAND_SECS} by default`),
    }),
  },
  read: {
    description: 'Reads a text file.',
    input: z.object({
      path: z.string().min(1).describe('Absolute, or relative to the working folder'),
      first_line: z.number().int().min(1).optional().describe('The first line to return; 1 by default'),
      lines: z.number().int().min(1).optional().describe(`The number of lines to return; ${READ_LINES} by default`),
    }),
  },
  write: {
    description: 'Writes a file: creates it, with its folders, or replaces its contents.',
    input: z.object({ path: z.string().min(1), content: z.string() }),
  },
  edit: {
    description: 'Replaces a text in a file. The text must occur in it exactly once.',
    input: z.object({ path: z.string().min(1), old_text: z.string().min(1), new_text: z.string() }),
  },
} as const;

type Tools = typeof tools;
type ToolName = keyof Tools;

/** A call of a tool whose arguments are right. */
export type ToolCall = { [N in ToolName]: { name: N; input: z.infer<Tools[N]['input']> } }[ToolName];

/** The tools as a model is given them: descriptions, and arguments as JSON schemas. */
export const toolsOfLoop: Readonly<Record<string, { description: string; inputSchema: Record<string, unknown> }>> =
  Object.fromEntries(
    Object.entries(tools).map(([name, { description, input }]) => [
      name,
      { description, inputSchema: z.toJSONSchema(input) },
    ]),
  );

/** Reads a call of a tool. The message is for the model. */
export function readCall(name: string, input: Json): { ok: true; call: ToolCall } | { ok: false; message: string } {
  if (!Object.hasOwn(tools, name)) return { ok: false, message: `there is no tool ${name}` };
  const read = tools[name as ToolName].input.safeParse(input);
  if (read.success) return { ok: true, call: { name, input: read.data } as ToolCall };
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`);
  return { ok: false, message: `the arguments of ${name} are wrong: ${problems.join('; ')}` };
}

/** The shell command of a call; null if it is none. */
export const commandOf = (name: string, input: Json): string | null =>
  name === 'bash' && isJsonObject(input) && typeof input['command'] === 'string' ? input['command'] : null;

/** A program that performs a tool, or a part of it, in the workspace. */
export interface ToolProgram {
  argv: string[];
  stdin: string;
  timeoutSecs: number;
  /** Paths of further programs that it uses. Absent for none. */
  shown?: string[];
}

/** Files are read and written by programs, in the place in which the agent works, as the user that it is there. */
const FILE_SECS = 60;

/** Runs a command with both its outputs as one. */
const SHELL = 'exec 2>&1; if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi';
const READ = '[ ! -d "$1" ] || { echo "$1 is a folder" >&2; exit 1; }; exec cat -- "$1"';
const WRITE = 'case $1 in */*) mkdir -p -- "${1%/*}" || exit;; esac; exec cat >"$1"';

const file = (script: string, path: string, stdin = ''): ToolProgram => ({
  // A path that begins with a dash would be an option.
  argv: ['sh', '-c', script, 'sh', path.startsWith('-') ? `./${path}` : path],
  stdin,
  timeoutSecs: FILE_SECS,
});

/** The output of a program and how it ended. `stopped`: it was ended because it took too long. */
export interface ToolOutput {
  exitCode: number;
  stdout: string;
  stderr: string;
  stopped: boolean;
  /** Set if the program printed too much to be read; `stdout` says so. */
  tooLarge?: true;
}

/** The result of a call, for the model and for the events. */
export interface ToolResult {
  output: string;
  exitCode: number | null;
  isError: boolean;
  truncated: boolean;
}

/** Maximum length of a result, in characters: the beginning and the end of a longer one are kept. */
const RESULT_LENGTH = 30_000;

/**
 * Performs a call. `run` runs a program in the workspace, in order: the same call runs the same programs with the same
 * input, as long as their output is the same.
 */
export async function performCall(
  { name, input }: ToolCall,
  run: (program: ToolProgram) => Promise<ToolOutput>,
): Promise<ToolResult> {
  switch (name) {
    case 'bash': {
      const { command, timeout_secs: timeoutSecs = COMMAND_SECS } = input;
      const { exitCode, stdout, stopped } = await run({
        argv: ['sh', '-c', SHELL, 'sh', command],
        stdin: '',
        timeoutSecs,
      });
      const ended = stopped ? `(ended after ${timeoutSecs} s)` : exitCode === 0 ? '' : `(exit status ${exitCode})`;
      const text = [stdout.trimEnd(), ended].filter((part) => part !== '').join('\n');
      return { ...shortened(text === '' ? '(no output)' : text), exitCode, isError: stopped || exitCode !== 0 };
    }
    case 'read': {
      const { exitCode, stdout, stderr, tooLarge } = await run(file(READ, input.path));
      if (exitCode !== 0) return failedCall(stderr, `cannot read ${input.path}`);
      if (tooLarge === true) return failedCall(stdout, `cannot read ${input.path}`);
      const { first_line: first = 1, lines: count = READ_LINES } = input;
      const all = stdout.split('\n');
      const lines = all.slice(first - 1, first - 1 + count);
      const rest = all.length - (first - 1) - lines.length;
      const note = rest > 0 ? `\n(${rest} more lines)` : '';
      return { ...shortened(`${lines.join('\n')}${note}`), exitCode: null, isError: false };
    }
    case 'write': {
      const { exitCode, stderr } = await run(file(WRITE, input.path, input.content));
      return exitCode === 0 ? done(`wrote ${input.path}`) : failedCall(stderr, `cannot write ${input.path}`);
    }
    case 'edit': {
      const before = await run(file(READ, input.path));
      if (before.exitCode !== 0) return failedCall(before.stderr, `cannot read ${input.path}`);
      if (before.tooLarge === true) return failedCall(before.stdout, `cannot read ${input.path}`);
      const parts = before.stdout.split(input.old_text);
      if (parts.length !== 2)
        return failedCall('', `old_text occurs ${parts.length - 1} times in ${input.path}; it must occur exactly once`);
      const { exitCode, stderr } = await run(file(WRITE, input.path, parts.join(input.new_text)));
      return exitCode === 0 ? done(`changed ${input.path}`) : failedCall(stderr, `cannot write ${input.path}`);
    }
  }
}

const done = (output: string): ToolResult => ({ output, exitCode: null, isError: false, truncated: false });

/** The result of a call that could not be performed. */
export const failedCall = (reason: string, what: string): ToolResult => ({
  ...shortened(reason.trim() === '' ? what : `${what}: ${reason.trim()}`),
  exitCode: null,
  isError: true,
});

/** Keeps the beginning and the end of a long result. */
export function shortened(text: string): Pick<ToolResult, 'output' | 'truncated'> {
  if (text.length <= RESULT_LENGTH) return { output: text, truncated: false };
  const half = RESULT_LENGTH / 2;
  const left = text.length - RESULT_LENGTH;
  return { output: `${text.slice(0, half)}\n(${left} characters left out)\n${text.slice(-half)}`, truncated: true };
}
