import type { CommandLine, Program } from './shared/command-line.js';
import { ADDRESS, JSON_FLAG, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';
import { count, percentagePoints } from './shared/option-values.js';
import { addSweepOptions, FILES, sweepFlags } from './shared/sweep-options.js';

/** Adds the `run` command. */
export function addRun(program: Program, { exitWith }: CommandLine): void {
  const command = addSweepOptions(
    program
      .command('run')
      .description('Run scenarios: plan the cells, start the sweep and follow it to its end')
      .argument('[files...]', FILES),
  )
    .option(
      '--regrade',
      'where only the checks have changed, check the work of earlier runs again instead of running agents',
      false,
    )
    .option(
      '--until-clear',
      'run both sides in rounds, and stop as soon as it is clear which is better, or that neither is worse',
      false,
    )
    .option('--vs <variant|sweep>', 'with --until-clear: what to compare with, a variant or a finished sweep')
    .option(
      '--margin <points>',
      'with --until-clear: also stop when head is shown to be worse by less than so many percentage points',
      percentagePoints,
    )
    .option(
      '--effect <points>',
      'with --until-clear: stop when a change of so many percentage points is unlikely to be found with the runs left',
      percentagePoints,
    )
    .option(
      '--max-runs <n>',
      'with --until-clear: the most runs of each configuration on each side (default: 20)',
      count,
    )
    .option('--name <name>', 'prefix of the sweep id (default: the time)')
    .option('--detach', 'start the sweep and return without following it', false)
    .option('--dry-run', 'show the plan without running anything', false)
    .option('--pass-with-no-scenarios', 'exit 0 when no scenario is selected', false)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (named, options, command) => {
      const selection = sweepFlags(named, options, command.getOptionValueSource('judgeModel') === 'cli');
      const { run } = await import('./run/run.js');
      await exitWith(run({ ...options, ...selection }));
    });
  addHelp(
    command,
    'run',
    ['Run one scenario with the agents that it names', 'llm-tool-test run stock_delivery'],
    [
      'Run it 6 times with a real agent, for at most 5 dollars',
      'LLM_TOOL_TEST_ENABLED=1 llm-tool-test run stock_delivery --agents claude-code --repeat 6 --max-usd 5',
    ],
    ['Show what all smoke tests would run', 'llm-tool-test run --tags smoke --dry-run'],
    [
      'Run a single cell of it',
      'llm-tool-test run stock_delivery --repeat 6 --cell stock_delivery/mock/default/default/2',
    ],
    [
      'Find out whether the variant "guided" is better than "bare", with as few runs as that takes',
      'llm-tool-test run stock_delivery --variants guided --until-clear --vs bare',
    ],
    [
      'Test another build, to compare the two sweeps',
      'llm-tool-test run stock_delivery --name after --target-binary ../new/mytool',
    ],
  );
}
