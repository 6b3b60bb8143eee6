import type { CommandLine, Program } from './shared/command-line.js';
import { JSON_FLAG, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';
import { count, percentagePoints, positive, share } from './shared/option-values.js';
import { addSweepOptions, FILES, sweepFlags } from './shared/sweep-options.js';

/** Adds the `plan` command. */
export function addPlan(program: Program, { exitWith }: CommandLine): void {
  const command = addSweepOptions(
    program
      .command('plan')
      .description('Say how many runs and dollars it takes to show a change, before any is spent')
      .argument('[files...]', FILES),
  )
    .option('--effect <points>', 'the change to show, in percentage points (default: 20)', percentagePoints)
    .option('--power <percent>', 'in how many of 100 cases it is to be shown (default: 80)', share)
    .option('--vs <variant|sweep>', 'what to compare with (default: another sweep of the same)')
    .option(
      '--max-runs <n>',
      'the most runs of each configuration on each side with --until-clear (default: 20)',
      count,
    )
    .option('--pass-rate <percent>', 'expected pass rate (default: that of earlier runs, else 50)', share)
    .option(
      '--run-usd <n>',
      'expected cost of a run in US dollars (default: the mean of earlier runs)',
      positive,
    )
    .option(
      '--run-secs <n>',
      'expected duration of a run in seconds (default: the mean of earlier runs)',
      positive,
    )
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (named, options, command) => {
      const selection = sweepFlags(named, options, command.getOptionValueSource('judgeModel') === 'cli');
      await exitWith((await import('./plan/plan.js')).plan({ ...options, ...selection }));
    });
  addHelp(
    command,
    'plan',
    ['How many runs show a change of 20 points?', 'llm-tool-test plan stock_delivery --agents claude-code'],
    ['What can be shown for 20 dollars?', 'llm-tool-test plan --all --max-usd 20'],
    [
      'The same for scenarios that have never run',
      'llm-tool-test plan --all --pass-rate 85 --run-usd 0.3 --run-secs 120',
    ],
    [
      'What does it take to compare two variants?',
      'llm-tool-test plan stock_delivery --variants guided --vs bare --effect 10',
    ],
  );
}
