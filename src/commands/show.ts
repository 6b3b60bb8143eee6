import type { CommandLine, Program } from './shared/command-line.js';
import { ID, JSON_FLAG, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';
import { list } from './shared/option-values.js';

/** Adds the `show` command. */
export function addShow(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('show')
    .description('Show the results of a sweep, or what the agent of a run did')
    .argument(`<${ID[0]}>`, ID[1])
    .option('--failed', 'only cells that failed, ended with an error or were cancelled', false)
    .option(
      '--scenario, --scenarios <names>',
      'only cells of these scenarios (comma-separated, repeatable)',
      list,
      [],
    )
    .option('--agent, --agents <names>', 'only cells of these agents (comma-separated, repeatable)', list, [])
    .option('--model, --models <names>', 'only cells of these models (comma-separated, repeatable)', list, [])
    .option(
      '--variant, --variants <names>',
      'only cells of these variants (comma-separated, repeatable)',
      list,
      [],
    )
    .option(
      '--label, --labels <names>',
      'only cells whose human review has one of these labels (comma-separated, repeatable)',
      list,
      [],
    )
    .option('--all', 'print everything, even if it is longer than the screen', false)
    .option('--transcript', 'print the whole conversation of a run, or its events with --json', false)
    .option(...RESULTS)
    .option('--follow', 'show a running sweep or run until it is over')
    .option(...JSON_FLAG, false)
    .action(async (id, options) => exitWith((await import('./show/show.js')).show(id, options)));
  addHelp(
    command,
    'show',
    ['Show the newest sweep', 'llm-tool-test show latest'],
    [
      'Show which cells of an agent did not pass, and why',
      'llm-tool-test show latest --failed --agent codex',
    ],
    ['Show the commands of a run, by a prefix of its id', 'llm-tool-test show 20260102-030405'],
    ['Print its whole conversation', 'llm-tool-test show 20260102-030405 --transcript'],
    ['Watch what the agent of a run is doing', 'llm-tool-test show 20260102-030405 --follow'],
    ['Print a sweep as JSON', 'llm-tool-test show before --json'],
  );
}
