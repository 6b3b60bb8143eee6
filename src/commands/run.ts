import { Option } from '@commander-js/extra-typings';
import { UsageError } from '../lib/errors/usage-error.js';
import type { CommandLine, Program } from './shared/command-line.js';
import {
  ADDRESS,
  ENV_FILE,
  JSON_FLAG,
  judgeModel,
  LIVE,
  NO_JUDGE,
  RESULTS,
} from './shared/common-options.js';
import { addHelp } from './shared/help.js';
import { atMostConcurrency, count, each, list, positive, seconds, tier } from './shared/option-values.js';

/** Adds the `run` command. */
export function addRun(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('run')
    .description('Run scenarios: plan the cells, start the sweep and follow it to its end')
    .argument('[files...]', 'scenario files, folders, or names in the fixtures folder')
    .option('-s, --scenario <file>', 'same as a file argument (repeatable)', each, [])
    .option('--all', 'run all scenarios in the fixtures folder')
    .option('--tags <tags>', 'only scenarios with any of these tags (comma-separated, repeatable)', list, [])
    .option('--tier <n>', 'only scenarios of this tier or lower', tier)
    .option(
      '--agents <names>',
      'run these agents instead of those in tool_matrix (comma-separated, repeatable)',
      list,
      [],
    )
    .option('--tool, --tools <names>', 'same as --agents', list, [])
    .option(
      '--model, --models <names>',
      'run these models instead of those in tool_matrix (comma-separated, repeatable)',
      list,
      [],
    )
    .option('--variants <names>', 'only these variants of scenarios (comma-separated, repeatable)', list, [])
    .option('--profile <name>', 'agents and models from this profile of the config file')
    .option(
      '--repeat <n>',
      'repetitions of each cell (default: matrix.repeat of the scenario, else 1)',
      count,
    )
    .option('--cell <id>', 'run only this cell of the selection, by id or label (repeatable)', each, [])
    .option(
      '--concurrency <n>',
      'maximum number of cells running at once (default: limits.concurrency of the config file, else 4)',
      atMostConcurrency,
    )
    .addOption(
      new Option('--max-usd <n>', 'budget in US dollars; cells that would exceed it are not started')
        .argParser(positive)
        .env('LLM_TOOL_TEST_BUDGET_USD'),
    )
    .option('--on <labels>', 'only on hosts with these labels (comma-separated, repeatable)', list, [])
    .option(
      '--timeout-secs <n>',
      "agent time limit in seconds (default: the scenario's run.timeout_secs, else 300)",
      seconds,
    )
    .option('--target-binary <path>', 'test this build of the target')
    .option('--no-cache', 'ignore cached results')
    .option(
      '--regrade',
      'where only the checks have changed, check the work of earlier runs again instead of running agents',
      false,
    )
    .addOption(judgeModel())
    .option(...NO_JUDGE)
    .option('--name <name>', 'prefix of the sweep id (default: the time)')
    .option(...LIVE, false)
    .option(...ENV_FILE)
    .option('--detach', 'start the sweep and return without following it', false)
    .option('--dry-run', 'show the plan without running anything', false)
    .option('--pass-with-no-scenarios', 'exit 0 when no scenario is selected', false)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (named, { tools, scenario, cell, ...options }, command) => {
      const files = [...named, ...scenario];
      if (
        files.length === 0 &&
        options.all !== true &&
        options.tags.length === 0 &&
        options.tier === undefined
      ) {
        throw new UsageError(
          'nothing_selected',
          'no scenarios given; name some, or use --all, --tags or --tier',
        );
      }
      const { run } = await import('./run/run.js');
      const isJudgeNamed = command.getOptionValueSource('judgeModel') === 'cli';
      const agents = [...options.agents, ...tools];
      await exitWith(run({ ...options, isJudgeNamed, files, cells: cell, agents }));
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
      'Test another build, to compare the two sweeps',
      'llm-tool-test run stock_delivery --name after --target-binary ../new/mytool',
    ],
  );
}
