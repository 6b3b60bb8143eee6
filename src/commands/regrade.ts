import { Option } from '@commander-js/extra-typings';
import type { CommandLine, Program } from './shared/command-line.js';
import { ADDRESS, ENV_FILE, ID, JSON_FLAG, judgeModel, NO_JUDGE, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';
import { atMostConcurrency, count, positive } from './shared/option-values.js';

/** Adds the `regrade` command. */
export function addRegrade(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('regrade')
    .alias('rescore')
    .description('Check the work of earlier runs again with the current checks, without running agents')
    .argument(`<${ID[0]}>`, ID[1])
    .option(
      '--sample <n>',
      'judge only so many of the runs again that a model judged, chosen at random: has the judge moved?',
      count,
    )
    .option('--dry-run', 'show which verdicts change, and keep no results', false)
    .addOption(judgeModel())
    .option(...NO_JUDGE)
    .option(
      '--concurrency <n>',
      'maximum number of cells checked at once (default: as in the sweep)',
      atMostConcurrency,
    )
    .option('--max-usd <n>', 'budget for the judge, in US dollars', positive)
    .option('--name <name>', 'prefix of the id of the new sweep (default: the time)')
    .option(...ENV_FILE)
    .addOption(
      new Option('--detach', 'start the sweep and return without following it')
        .default(false)
        .conflicts('dryRun'),
    )
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (id, options) => exitWith((await import('./regrade/regrade.js')).regrade(id, options)));
  addHelp(
    command,
    'regrade',
    ['Check the newest sweep with changed gates', 'llm-tool-test regrade latest'],
    ['Show which verdicts would change', 'llm-tool-test regrade before --dry-run'],
    ['Find out how far the judge has moved', 'llm-tool-test regrade before --sample 30 --max-usd 1'],
  );
}
