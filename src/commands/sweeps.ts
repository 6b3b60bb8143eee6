import type { CommandLine, Program } from './shared/command-line.js';
import { JSON_FLAG, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';
import { count } from './shared/option-values.js';

/** Adds the `sweeps` command. */
export function addSweeps(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('sweeps')
    .description('List the sweeps, newest first')
    .option('--limit <n>', 'show at most n sweeps (default: 20; with --json all)', count)
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('./sweeps/list-sweeps.js')).listSweeps(options)));
  addHelp(
    command,
    'sweeps-clean',
    ['List the newest sweeps', 'llm-tool-test sweeps'],
    ['List the last 5 as JSON', 'llm-tool-test sweeps --limit 5 --json'],
  );
}
