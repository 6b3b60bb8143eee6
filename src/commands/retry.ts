import { Option } from '@commander-js/extra-typings';
import type { CommandLine, Program } from './shared/command-line.js';
import { ADDRESS, ENV_FILE, JSON_FLAG, RESULTS, SWEEP } from './shared/common-options.js';
import { addHelp } from './shared/help.js';
import { each } from './shared/option-values.js';

/** Adds the `retry` command. */
export function addRetry(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('retry')
    .description('Rerun the cells of a sweep that ended with an error or were cancelled')
    .argument(...SWEEP)
    .option(...ENV_FILE)
    .option('--failed', 'also rerun cells that failed', false)
    .addOption(
      new Option('--cell <id>', 'rerun exactly this cell, whatever its outcome, by id or label (repeatable)')
        .argParser(each)
        .default([] as string[])
        .conflicts(['failed', 'now']),
    )
    .option('--now', 'for a running sweep: stop waiting for provider limits', false)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (id, { cell, ...options }) =>
      exitWith((await import('./retry/retry.js')).retry(id, { ...options, cells: cell })),
    );
  addHelp(
    command,
    'show-resume-retry-pause-cancel',
    ['Rerun the errors of the newest sweep', 'llm-tool-test retry latest'],
    ['Rerun failures too', 'llm-tool-test retry latest --failed'],
    ['Rerun one cell', 'llm-tool-test retry latest --cell stock_delivery/mock/default/default/2'],
    ['Stop waiting for a rate limit', 'llm-tool-test retry latest --now'],
  );
}
