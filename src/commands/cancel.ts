import type { CommandLine, Program } from './shared/command-line.js';
import { ADDRESS, JSON_FLAG, RESULTS, SWEEP } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `cancel` command. */
export function addCancel(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('cancel')
    .description('End a sweep and kill its agents')
    .argument(...SWEEP)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (id, options) =>
      exitWith((await import('./shared/pause-or-cancel.js')).pauseOrCancel('cancel', id, options)),
    );
  addHelp(command, 'show-resume-retry-pause-cancel', [
    'Cancel the newest sweep',
    'llm-tool-test cancel latest',
  ]);
}
