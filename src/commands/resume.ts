import type { CommandLine, Program } from './shared/command-line.js';
import { ADDRESS, ENV_FILE, JSON_FLAG, RESULTS, SWEEP } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `resume` command. */
export function addResume(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('resume')
    .description('Continue a sweep and follow it to its end')
    .argument(...SWEEP)
    .option(...ENV_FILE)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (id, options) => exitWith((await import('./resume/resume.js')).resume(id, options)));
  addHelp(command, 'show-resume-retry-pause-cancel', [
    'Continue the newest sweep',
    'llm-tool-test resume latest',
  ]);
}
