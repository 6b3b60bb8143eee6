import { Argument } from '@commander-js/extra-typings';
import type { CommandLine, Program } from './shared/command-line.js';
import { JSON_FLAG } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Completes the words of an unfinished command line, for the scripts that `completion` prints. */
export const completeWords = async (program: Program, words: readonly string[]): Promise<number> =>
  (await import('./completion/completion.js')).completeWords(program, words);

/** Adds the `completion` command. */
export function addCompletion(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('completion')
    .description('Print a completion script for a shell; its first lines say how to install it')
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(['bash', 'zsh', 'fish'] as const))
    .option(...JSON_FLAG, false)
    .action(async (shell, options) =>
      exitWith((await import('./completion/completion.js')).completion(shell, options)),
    );
  addHelp(
    command,
    'completion',
    ['Install it for bash', 'llm-tool-test completion bash >> ~/.bashrc'],
    ['Install it for fish', 'llm-tool-test completion fish > ~/.config/fish/completions/llm-tool-test.fish'],
  );
}
