import type { CommandLine, Program } from './shared/command-line.js';
import { ENV_FILE, JSON_FLAG, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';
import { port } from './shared/option-values.js';

/** Adds the `view` command. */
export function addView(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('view')
    .description('Show sweeps, runs and transcripts in the browser until it is stopped')
    .option('--port <number>', 'port on 127.0.0.1 (default: any that is free)', port, 0)
    .option('--no-open', 'only print the address, without opening the browser')
    .option(...ENV_FILE)
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('./view/view.js')).view(options)));
  addHelp(
    command,
    'view',
    ['Open the results of this project in the browser', 'llm-tool-test view'],
    ['Only print the address', 'llm-tool-test view --no-open --port 4000'],
  );
}
