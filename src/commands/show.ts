import type { CommandLine, Program } from './shared/command-line.js';
import { ID, JSON_FLAG, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `show` command. */
export function addShow(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('show')
    .description('Show the results of a sweep or a run')
    .argument(`<${ID[0]}>`, ID[1])
    .option(...RESULTS)
    .option('--follow', 'show a running sweep or run until it is over')
    .option(...JSON_FLAG, false)
    .action(async (id, options) => exitWith((await import('./show/show.js')).show(id, options)));
  addHelp(
    command,
    'show-resume-retry-pause-cancel',
    ['Show the newest sweep', 'llm-tool-test show latest'],
    ['Watch what the agent of a run is doing', 'llm-tool-test show 20260102-1300 --follow'],
    ['Print a sweep as JSON', 'llm-tool-test show before --json'],
  );
}
