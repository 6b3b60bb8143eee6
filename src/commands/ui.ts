import type { CommandLine, Program } from './shared/command-line.js';
import { ADDRESS, ID, JSON_FLAG, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `ui` command. */
export function addUi(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('ui')
    .description("Print the address of Temporal's Web UI, or of its page for a sweep or run")
    .argument(`[${ID[0]}]`, ID[1])
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (id, options) => exitWith((await import('./ui/ui.js')).ui(id, options)));
  addHelp(
    command,
    'ui',
    ['Print the address of the Web UI', 'llm-tool-test ui'],
    ['Print the page of the newest sweep', 'llm-tool-test ui latest'],
  );
}
