import { Option } from '@commander-js/extra-typings';
import { FAIL_ON, OVERLAPS } from '#decide';
import { length, minutes, parseTime } from '../shared/option-values.js';
import { addHelp, ADDRESS, type CommandLine, JSON_FLAG, type Program, RESULTS } from '../shared/verb.js';
import { addSweepOptions, FILES, sweepFlags } from './run.js';

const SECTION = 'schedule';
const NAME = ['<schedule>', 'name of the schedule'] as const;
const HOUR_MS = 3_600_000;

const work = () => import('../schedule/schedule.js');

/** Adds the `schedule` command: sweeps that start by themselves. */
export function addSchedule(program: Program, { exitWith }: CommandLine): void {
  const schedule = program
    .command('schedule')
    .description('Run sweeps at certain times, and say when results get worse');
  addHelp(
    schedule,
    SECTION,
    [
      'Run all scenarios every night at 3',
      'llm-tool-test schedule create nightly --cron "0 3 * * *" --timezone Europe/Berlin --all --env-file keys.env',
    ],
    ['Show all schedules', 'llm-tool-test schedule list'],
  );

  const create = addSweepOptions(
    schedule
      .command('create')
      .description('Create a schedule, with the scenarios and options as they are now')
      .argument('<name>', 'name of the schedule; the ids of its sweeps begin with it')
      .argument('[files...]', FILES)
      .option('--cron <times>', 'when it fires: minute, hour, day of the month, month, day of the week')
      .option('--every <time>', 'interval, counted from 00:00 UTC: 30m, 6h, 1d or 1w', minutes)
      .option('--timezone <name>', 'time zone of --cron, e.g. Europe/Berlin (default: UTC)')
      .addOption(
        new Option('--overlap <policy>', 'what to do if its previous sweep is still running (default: skip)')
          .choices(OVERLAPS)
          .default('skip' as const),
      )
      .option('--jitter <time>', 'start up to this much later, at random', length)
      .option(
        '--catch-up <time>',
        'start up to this much late if the server was not running (default: 1h)',
        minutes,
        HOUR_MS,
      )
      .addOption(
        new Option(
          '--fail-on <what>',
          'exit code of the result: that of `run` (failed), or 1 from the night on which runs begin to fail more often (worse) (default: failed)',
        )
          .choices(FAIL_ON)
          .default('failed' as const),
      )
      .option('--junit <file>', 'also write the JUnit report to this file')
      .option('--webhook <variable>', "send each result to the URL in a variable, named as '${NAME}'")
      .option('--reuse', 'reuse results of unchanged cells; such a night finds no drift of a model', false)
      .option('--replace', 'replace the schedule of this name', false),
  )
    .option('--dry-run', 'show the plan without creating anything', false)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (name, files, options, command) => {
      const flags = sweepFlags(files, options, command.getOptionValueSource('judgeModel') === 'cli');
      const { createSchedule } = await import('../schedule/create.js');
      await exitWith(createSchedule(name, { ...options, ...flags }));
    });
  addHelp(
    create,
    SECTION,
    [
      'Every night at 3, for at most 5 dollars',
      'llm-tool-test schedule create nightly --cron "0 3 * * *" --timezone Europe/Berlin --tags smoke --max-usd 5 --env-file keys.env',
    ],
    [
      'Report to a chat whether results have become worse',
      "llm-tool-test schedule create nightly --every 6h --all --repeat 6 --fail-on worse --webhook '${CHAT_URL}' --env-file keys.env",
    ],
  );

  const list = schedule
    .command('list')
    .description('List the schedules, with their next times and newest results')
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await work()).listSchedules(options)));
  addHelp(list, SECTION, ['Show all schedules', 'llm-tool-test schedule list']);

  const show = schedule
    .command('show')
    .description('Show a schedule with its nights, and since when they are worse')
    .argument(...NAME)
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (name, options) => exitWith((await work()).showSchedule(name, options)));
  addHelp(show, SECTION, ['Show what the nights have found', 'llm-tool-test schedule show nightly']);

  const accept = schedule
    .command('accept')
    .description('Accept the results of a night: later nights are compared with it')
    .argument(...NAME)
    .option('--night <sweep>', 'the sweep of the night (default: the newest)')
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (name, options) => exitWith((await work()).acceptSchedule(name, options)));
  addHelp(
    accept,
    SECTION,
    ['Accept a change that is meant', 'llm-tool-test schedule accept nightly'],
    ['Compare with an earlier night', 'llm-tool-test schedule accept nightly --night nightly-20261124-030000-3f2a9c41'],
  );

  const trigger = schedule
    .command('trigger')
    .description('Run the sweep of a schedule now')
    .argument(...NAME)
    .option('--wait', 'follow the sweep to its end, and exit with the exit code of the result', false)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (name, options) => exitWith((await work()).triggerSchedule(name, options)));
  addHelp(trigger, SECTION, ['Run a sweep and wait for its result', 'llm-tool-test schedule trigger nightly --wait']);

  const backfill = schedule
    .command('backfill')
    .description('Run the sweeps of times that had no firing, one after another')
    .argument(...NAME)
    .requiredOption('--from <time>', 'the first time, as in 2026-11-24 or 2026-11-24T03:00Z', parseTime)
    .option('--to <time>', 'the last time (default: now)', parseTime)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (name, options) => exitWith((await work()).backfillSchedule(name, options)));
  addHelp(backfill, SECTION, [
    'Make up for nights on which the machine was off',
    'llm-tool-test schedule backfill nightly --from 2026-11-20 --to 2026-11-24',
  ]);

  const pause = schedule
    .command('pause')
    .description('Stop a schedule from starting sweeps; a running sweep continues')
    .argument(...NAME)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (name, options) => exitWith((await work()).pauseSchedule(name, options)));
  addHelp(pause, SECTION, ['Pause a schedule', 'llm-tool-test schedule pause nightly']);

  const resume = schedule
    .command('resume')
    .description('Continue a paused schedule, or recreate one that the Temporal server has lost')
    .argument(...NAME)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (name, options) => exitWith((await work()).resumeSchedule(name, options)));
  addHelp(resume, SECTION, ['Continue a schedule', 'llm-tool-test schedule resume nightly']);

  const remove = schedule
    .command('delete')
    .description('Delete a schedule, but keep its results')
    .argument(...NAME)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (name, options) => exitWith((await work()).deleteSchedule(name, options)));
  addHelp(remove, SECTION, ['Delete a schedule', 'llm-tool-test schedule delete nightly']);
}
