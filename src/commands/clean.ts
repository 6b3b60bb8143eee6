import type { CommandLine, Program } from './shared/command-line.js';
import { JSON_FLAG, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `clean` command. */
export function addClean(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('clean')
    .description('Delete old runs, sweeps without runs, and unused snapshots')
    .option(
      '--older-than <age>',
      'delete what is older than this: 90m, 12h, 30d or 2w; 0d deletes everything that has ended (required)',
    )
    .option('--dry-run', 'show what would be deleted without deleting it', false)
    .option('--verbose', 'list everything that is deleted', false)
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('./clean/clean.js')).clean(options)));
  addHelp(
    command,
    'sweeps-clean',
    ['Show what would be deleted', 'llm-tool-test clean --older-than 30d --dry-run'],
    ['Delete runs older than 2 weeks', 'llm-tool-test clean --older-than 2w'],
  );
}
