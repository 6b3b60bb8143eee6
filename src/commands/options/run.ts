import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { UsageError } from '#lib';
import {
  atMostConcurrency,
  parseCount,
  each,
  parseList,
  percentagePoints,
  positive,
  parseSeconds,
  parseShard,
  parseShare,
  tier,
} from '../shared/option-values.js';
import {
  addHelp,
  ADDRESS,
  type CommandLine,
  ENV_FILE,
  JSON_FLAG,
  judgeModel,
  LIVE,
  NO_JUDGE,
  type Program,
  RESULTS,
} from '../shared/verb.js';

/** The numbers by which `--until-clear` can decide. */
const MEASURES_OF_CLEAR = ['passes', 'reward'] as const;

/** The help text for the scenarios of a verb that plans sweeps. */
export const FILES = 'scenario files, folders, or names in the fixtures folder';

/** Adds the options that say what a sweep runs, and how. */
export const addSweepOptions = <Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) =>
  command
    .option('-s, --scenario <file>', 'same as a file argument (repeatable)', each, [])
    .option('--all', 'run all scenarios in the fixtures folder')
    .option('--tags <tags>', 'only scenarios with any of these tags (comma-separated, repeatable)', parseList, [])
    .option('--tier <n>', 'only scenarios of this tier or lower', tier)
    .option(
      '--agents <names>',
      'run these agents instead of those in tool_matrix (comma-separated, repeatable)',
      parseList,
      [],
    )
    .option('--tool, --tools <names>', 'same as --agents', parseList, [])
    .option(
      '--model, --models <names>',
      'run these models instead of those in tool_matrix (comma-separated, repeatable)',
      parseList,
      [],
    )
    .option('--variants <names>', 'only these variants of scenarios (comma-separated, repeatable)', parseList, [])
    .option('--with-baseline', 'also run the baseline of each scenario: the same without its subject', false)
    .option('--profile <name>', 'agents and models from this profile of the config file')
    .option('--repeat <n>', 'repetitions of each cell (default: matrix.repeat of the scenario, else 1)', parseCount)
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
    .option(
      '--host-labels <labels>',
      'run only on hosts with all of these labels (comma-separated, repeatable)',
      parseList,
      [],
    )
    .option(
      '--timeout-secs <n>',
      "agent time limit in seconds (default: the scenario's run.timeout_secs, else 300)",
      parseSeconds,
    )
    .option('--target-binary <path>', 'test this build of the target')
    .option('--no-cache', 'ignore cached results')
    .addOption(judgeModel())
    .option(...NO_JUDGE)
    .option(...LIVE, false)
    .option(...ENV_FILE);

interface SweepOptions {
  scenario: string[];
  all?: true | undefined;
  tags: string[];
  tier?: number | undefined;
  agents: string[];
  tools: string[];
  cell: string[];
}

/** Combines options that have several names. @throws UsageError if no scenario is selected */
export function sweepFlags(named: readonly string[], options: SweepOptions, isJudgeNamed: boolean) {
  const files = [...named, ...options.scenario];
  if (files.length === 0 && options.all !== true && options.tags.length === 0 && options.tier === undefined) {
    throw new UsageError('nothing_selected', 'no scenarios given; name some, or use --all, --tags or --tier');
  }
  return { files, cells: options.cell, agents: [...options.agents, ...options.tools], isJudgeNamed };
}

export function addPlan(program: Program, { exitWith }: CommandLine): void {
  const command = addSweepOptions(
    program
      .command('plan')
      .description('Say how many runs and dollars it takes to show a change, before any is spent')
      .argument('[files...]', FILES),
  )
    .option('--effect <points>', 'the change to show, in percentage points (default: 20)', percentagePoints)
    .option('--power <percent>', 'in how many of 100 cases it is to be shown (default: 80)', parseShare)
    .option('--base <variant|sweep>', 'what to compare with (default: another sweep of the same)')
    .addOption(new Option('--measure <name>', 'what is to be compared (default: passes)').choices(MEASURES_OF_CLEAR))
    .option(
      '--max-runs <n>',
      'the most runs of each configuration on each side with --until-clear (default: 20)',
      parseCount,
    )
    .option('--pass-rate <percent>', 'expected pass rate (default: that of earlier runs, else 50)', parseShare)
    .option('--run-usd <n>', 'expected cost of a run in US dollars (default: the mean of earlier runs)', positive)
    .option('--run-secs <n>', 'expected duration of a run in seconds (default: the mean of earlier runs)', positive)
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (named, options, command) => {
      const selection = sweepFlags(named, options, command.getOptionValueSource('judgeModel') === 'cli');
      await exitWith((await import('../plan.js')).plan({ ...options, ...selection }));
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
      'llm-tool-test plan stock_delivery --variants guided --base bare --effect 10',
    ],
  );
}

export function addRun(program: Program, { exitWith }: CommandLine): void {
  const command = addSweepOptions(
    program
      .command('run')
      .description('Run scenarios: plan the cells, start the sweep and follow it to its end')
      .argument('[files...]', FILES),
  )
    .addOption(
      new Option('--shard <n/m>', 'run only the nth of m parts of the cells, for example one in each of m jobs of CI')
        .argParser(parseShard)
        .conflicts('untilClear'),
    )
    .option('--clamp', 'lower the cpus and memory that containers ask for to what this machine has', false)
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
    .option('--base <variant|sweep>', 'with --until-clear: what to compare with, a variant or a finished sweep')
    .addOption(
      new Option(
        '--measure <name>',
        'with --until-clear: what decides, the pass rate or the mean reward (default: passes)',
      ).choices(MEASURES_OF_CLEAR),
    )
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
      parseCount,
    )
    .option('--name <name>', 'prefix of the sweep id (default: the time)')
    .option('--owner <name>', 'to whom the sweep belongs (default: the person of the CI job, or your login name)')
    .option('--detach', 'start the sweep and return without following it', false)
    .option('--dry-run', 'show the plan without running anything', false)
    .option('--pass-with-no-scenarios', 'exit 0 when no scenario is selected', false)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (named, options, command) => {
      const selection = sweepFlags(named, options, command.getOptionValueSource('judgeModel') === 'cli');
      const { run } = await import('../run/run.js');
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
      'llm-tool-test run stock_delivery --variants guided --until-clear --base bare',
    ],
    [
      'Test another build, to compare the two sweeps',
      'llm-tool-test run stock_delivery --name after --target-binary ../new/mytool',
    ],
  );
}

const SCENARIO_SECTION = 'scenario';

const scenarioWork = () => import('../scenario.js');

/** Adds the `scenario` command, with the verbs and flags of the ElizaOS scenario runner. */
export function addScenario(program: Program, { exitWith }: CommandLine): void {
  const scenario = program.command('scenario').description('Run scenario and matrix files in the form of ElizaOS');
  addHelp(
    scenario,
    SCENARIO_SECTION,
    ['Run a file and print the verdict of each evaluation', 'llm-tool-test scenario run hello.scenario.yaml'],
    ['Run all combinations of a matrix', 'llm-tool-test scenario matrix hello.matrix.yaml'],
  );

  const run = scenario
    .command('run')
    .description('Run one scenario file and print the verdict of each evaluation')
    .argument('<file>', 'scenario file')
    .option('--agents <names>', 'run these agents instead of the one in the file', parseList, [])
    .option('--models <names>', 'run these models', parseList, [])
    .option('-l, --live', LIVE[1], false)
    .option('--no-cache', 'ignore cached results')
    .option(...ENV_FILE)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (file, options) => exitWith((await scenarioWork()).runScenarioFile(file, options)));
  addHelp(run, SCENARIO_SECTION, [
    'Run a file with keys from .env',
    'llm-tool-test scenario run hello.scenario.yaml --env-file .env',
  ]);

  const matrix = scenario
    .command('matrix')
    .description('Run all combinations of a matrix file, each as a variant of its scenario')
    .argument('<file>', 'matrix file')
    .option('--agents <names>', 'run these agents instead of the one in the file', parseList, [])
    .option('--models <names>', 'run these models', parseList, [])
    .option('--parallel <n>', 'maximum number of runs at once (default: as for `run`)', atMostConcurrency)
    .option('--filter <text>', 'only combinations whose values, as JSON, contain this text')
    .option('--dry-run', 'list the combinations without running anything', false)
    .option('-l, --live', LIVE[1], false)
    .option('--no-cache', 'ignore cached results')
    .option(...ENV_FILE)
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (file, options) => exitWith((await scenarioWork()).runMatrixFile(file, options)));
  addHelp(matrix, SCENARIO_SECTION, [
    'List the combinations',
    'llm-tool-test scenario matrix hello.matrix.yaml --dry-run',
  ]);
}
