import { Option } from '@commander-js/extra-typings';
import { atMostConcurrency, parseCount, each, positive } from '../shared/option-values.js';
import {
  addHelp,
  ADDRESS,
  type CommandLine,
  ENV_FILE,
  ID,
  JSON_FLAG,
  judgeModel,
  NO_JUDGE,
  type Program,
  RESULTS,
  SWEEP,
} from '../shared/verb.js';

export function addResume(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('resume')
    .description('Continue a sweep and follow it to its end')
    .argument(...SWEEP)
    .option(...ENV_FILE)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (id, options) => exitWith((await import('../steer.js')).resume(id, options)));
  addHelp(command, 'show-resume-retry-pause-cancel', ['Continue the newest sweep', 'llm-tool-test resume latest']);
}

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
      exitWith((await import('../steer.js')).retry(id, { ...options, cells: cell })),
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

export function addRegrade(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('regrade')
    .alias('rescore')
    .description('Check the work of earlier runs again with the current checks, without running agents')
    .argument(`<${ID[0]}>`, ID[1])
    .option(
      '--sample <n>',
      'judge only so many of the runs again that a model judged, chosen at random: has the judge moved?',
      parseCount,
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
      new Option('--detach', 'start the sweep and return without following it').default(false).conflicts('dryRun'),
    )
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (id, options) => exitWith((await import('../regrade.js')).regrade(id, options)));
  addHelp(
    command,
    'regrade',
    ['Check the newest sweep with changed gates', 'llm-tool-test regrade latest'],
    ['Show which verdicts would change', 'llm-tool-test regrade before --dry-run'],
    ['Find out how far the judge has moved', 'llm-tool-test regrade before --sample 30 --max-usd 1'],
  );
}

export const addPause = (program: Program, line: CommandLine): void =>
  addPauseOrCancel(program, line, 'pause', 'Start no new cells of a sweep; running agents finish');

export const addCancel = (program: Program, line: CommandLine): void =>
  addPauseOrCancel(program, line, 'cancel', 'End a sweep and kill its agents');

function addPauseOrCancel(
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
    .action(async (id, options) => exitWith((await import('../steer.js')).pauseOrCancel(verb, id, options)));
  addHelp(command, 'show-resume-retry-pause-cancel', [
    `${verb === 'pause' ? 'Pause' : 'Cancel'} the newest sweep`,
    `llm-tool-test ${verb} latest`,
  ]);
}
