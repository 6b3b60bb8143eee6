import type { CommandLine, Program } from './shared/command-line.js';
import { ADDRESS, JSON_FLAG, RESULTS, SWEEP } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `pause` command. */
export function addPause(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('pause')
    .description('Start no new cells of a sweep; running agents finish')
    .argument(...SWEEP)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (id, options) =>
      exitWith((await import('./shared/pause-or-cancel.js')).pauseOrCancel('pause', id, options)),
    );
  addHelp(command, 'show-resume-retry-pause-cancel', [
    'Pause the newest sweep',
    'llm-tool-test pause latest',
  ]);
}
