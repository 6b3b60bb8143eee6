import type { CommandLine, Program } from './shared/command-line.js';
import { ADDRESS, JSON_FLAG, RESULTS, SWEEP } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `pause` command. */
export const addPause = (program: Program, line: CommandLine): void =>
  add(program, line, 'pause', 'Start no new cells of a sweep; running agents finish');

/** Adds the `cancel` command. */
export const addCancel = (program: Program, line: CommandLine): void =>
  add(program, line, 'cancel', 'End a sweep and kill its agents');

function add(
  program: Program,
  { exitWith }: CommandLine,
  verb: 'pause' | 'cancel',
  description: string,
): void {
  const command = program
    .command(verb)
    .description(description)
    .argument(...SWEEP)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (id, options) =>
      exitWith((await import('./shared/pause-or-cancel.js')).pauseOrCancel(verb, id, options)),
    );
  addHelp(command, 'show-resume-retry-pause-cancel', [
    `${verb === 'pause' ? 'Pause' : 'Cancel'} the newest sweep`,
    `llm-tool-test ${verb} latest`,
  ]);
}
