import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '#host';
import { type CommandResult, commandText, describeEnd, UsageError } from '#lib';
import { chooseHarmless, readHelp, type ToolHelp } from '#scenario';

const TIMEOUT_SECS = 10;
/** In this order. Few tools understand only the later ones. */
const ATTEMPTS = [['--help'], ['-h'], ['help']];

/** The help of a tool, and which harmless calls of it work. */
export interface ProbedTool {
  help: ToolHelp;
  helpArguments: string[];
  helpSucceeds: boolean;
  harmless: string[][];
}

type Attempt = { words: string[]; text: string } & Pick<CommandResult, 'exitCode' | 'timedOut'>;

/**
 * Asks a tool for its help, and calls what its help says is harmless. The tool runs without a shell, in an empty folder
 * that is also its HOME, without input, and for at most 10 seconds a call.
 *
 * @throws UsageError if it cannot be started or prints no help
 */
export async function probeTool(path: string, shown: string): Promise<ProbedTool> {
  const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-try-'));
  const call = (words: string[]): Promise<Attempt> => attempt(path, shown, words, folder);
  try {
    const { words, text, exitCode } = await showHelp(call, shown);
    const help = readHelp(text);
    const harmless: string[][] = [];
    for (const candidate of chooseHarmless(help, text))
      if ((await call(candidate)).exitCode === 0) harmless.push(candidate);
    return { help, helpArguments: words, helpSucceeds: exitCode === 0, harmless };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function showHelp(call: (words: string[]) => Promise<Attempt>, shown: string): Promise<Attempt> {
  const tried: Attempt[] = [];
  for (const words of ATTEMPTS) {
    const made = await call(words);
    if (made.exitCode === 0 && made.text !== '') return made;
    tried.push(made);
  }
  // Some tools print their help as an error.
  const refused = tried.find(({ timedOut, text }) => !timedOut && /\b(usage|options|commands)\b/i.test(text));
  if (refused !== undefined) return refused;
  const ends = tried.map(
    (made) =>
      `\`${commandText([shown, ...made.words])}\`: ${describeEnd(made, TIMEOUT_SECS)}, ${made.text === '' ? 'printed nothing' : 'printed no help'}`,
  );
  throw new UsageError(
    'no_help',
    `${shown} prints no help, so there is nothing to draft a scenario from (${ends.join('; ')}); add a --help option to the tool, or start from \`init\``,
  );
}

async function attempt(path: string, shown: string, words: string[], folder: string): Promise<Attempt> {
  const { PATH = '', LANG = 'C.UTF-8' } = process.env;
  const env = { PATH, LANG, HOME: folder, TERM: 'dumb', NO_COLOR: '1', PAGER: 'cat', COLUMNS: '100' };
  try {
    const result = await runCommand({
      command: [path, ...words],
      cwd: folder,
      env,
      timeoutMs: TIMEOUT_SECS * 1000,
    });
    const { exitCode, timedOut, stdout, stderr } = result;
    return { words, exitCode, timedOut, text: (stdout.trim() === '' ? stderr : stdout).trimEnd() };
  } catch (error) {
    throw new UsageError('target_missing', `${shown} cannot be started: ${(error as Error).message}`);
  }
}
