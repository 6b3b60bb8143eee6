import { Option } from '@commander-js/extra-typings';
import { atMostConcurrency, parseList, tier } from '../shared/option-values.js';
import { addHelp, ADDRESS, type CommandLine, ENV_FILE, JSON_FLAG, type Program, RESULTS } from '../shared/verb.js';

/** The templates that can also be added to a project. */
const ADDED = ['skill', 'mcp', 'eliza', 'acp', 'harbor'] as const;

export function addInit(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('init')
    .description('Create a config file, a scenario and its fixture, ready to run')
    .argument('[dir]', 'folder to create them in; created if missing (default: the working folder)')
    .addOption(
      new Option(
        '--template <name>',
        'what to create: a test of a program, of a skill, of an MCP server or of an agent over ACP, or one in the form of ElizaOS or Harbor',
      )
        .choices(['default', ...ADDED])
        .default('default' as const),
    )
    .addOption(
      new Option(
        '--add <name>',
        'add a test of this kind to an existing project: its scenarios and the agent that they need',
      )
        .choices(ADDED)
        .conflicts(['template', 'example']),
    )
    .addOption(
      new Option(
        '--example [name]',
        'create this example of the package instead; without a name, list the examples',
      ).conflicts('template'),
    )
    .option(...JSON_FLAG, false)
    .action(async (dir, options) => exitWith((await import('../init.js')).init(dir ?? '.', options)));
  addHelp(
    command,
    'init',
    ['Set up the working folder', 'llm-tool-test init'],
    ['Set up a new folder', 'llm-tool-test init agent-tests'],
    ['Set up a scenario in the form of ElizaOS', 'llm-tool-test init --template eliza'],
    ['Set up the test of a skill, with and without it', 'llm-tool-test init --template skill'],
    ['Set up the test of an MCP server, with and without it', 'llm-tool-test init --template mcp'],
    ['Add the test of a skill to an existing project', 'llm-tool-test init --add skill'],
    ['List the examples, and copy one', 'llm-tool-test init --example'],
    ['', 'llm-tool-test init --example git_history'],
  );
}

export function addTry(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('try')
    .description('Draft a scenario from the help of a tool, and run it with the free mock agent')
    .argument('<tool>', 'the tool: a name on PATH, or a path such as ./bin/mytool')
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (tool, options) => exitWith((await import('../try/try.js')).tryTool(tool, options)));
  addHelp(
    command,
    'try',
    ['Draft a scenario for a tool on PATH', 'llm-tool-test try jq'],
    ['Draft a scenario for a build of your tool', 'llm-tool-test try ./bin/mytool'],
  );
}

export function addImport(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('import')
    .description(
      'Make scenarios of the evals of a skill or plugin, of a list of prompts, or of a config of promptfoo; or a sweep of logs of Inspect',
    )
    .argument(
      '<paths...>',
      'evals.json of the Agent Skills standard; a list of prompts: .json, .jsonl or .csv; promptfooconfig.yaml; a folder with cases of `claude plugin eval`; or logs of Inspect, which become a sweep to look at and compare',
    )
    .option('--skill <folder>', 'the skill under test (default: the folder that contains evals/evals.json)')
    .option('--out <folder>', 'where to write the scenarios (default: the fixtures folder)')
    .option('--force', 'overwrite files that exist', false)
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (paths, options) => exitWith(await (await import('../import.js')).importAny(paths, options)));
  addHelp(
    command,
    'import',
    ['Import the evals of a skill', 'llm-tool-test import skills/pdf/evals/evals.json'],
    ['Import the cases of a plugin', 'llm-tool-test import plugins/office'],
    ['Import a config of promptfoo', 'llm-tool-test import promptfooconfig.yaml'],
    ['Import logs of Inspect', 'llm-tool-test import logs/*.eval'],
    ['Import prompts with should_trigger', 'llm-tool-test import prompts.csv --skill skills/pdf'],
  );
}

export function addDoctor(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('doctor')
    .description('Check that this machine can run scenarios; exit 3 if it cannot')
    .option('--try <agent>', 'instead, start this agent with a trivial prompt and report how it went')
    .option('--model <name>', "model for --try (default: the first one in the config file, else the agent's own)")
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('../doctor/doctor.js')).doctor(options)));
  addHelp(
    command,
    'doctor',
    ['Report what is missing on this machine', 'llm-tool-test doctor'],
    [
      'Check that an agent, its key and its model work (this costs a few tokens)',
      'LLM_TOOL_TEST_ENABLED=1 llm-tool-test doctor --try claude-code',
    ],
  );
}

export function addValidate(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('validate')
    .description('Check scenario files and report all problems with their locations')
    .argument('[files...]', 'scenario files, folders or names (default: all in the fixtures folder)')
    .option('--verbose', 'also list the YAML and JSON files there that are no scenarios', false)
    .option(
      '--tasks',
      'also run the agents oracle and nop on task folders: the solution must pass, and doing nothing must not',
      false,
    )
    .option('--concurrency <n>', 'with --tasks: maximum number of runs at once', atMostConcurrency)
    .option(...ENV_FILE)
    .option(...RESULTS)
    .option(...JSON_FLAG, false)
    .action(async (files, { tasks, ...options }) => {
      if (tasks) return exitWith((await import('../validate-tasks.js')).validateTasks(files, options));
      return exitWith((await import('../validate.js')).validate(files, options));
    });
  addHelp(
    command,
    'validate-scenarios',
    ['Check all scenarios in the fixtures folder', 'llm-tool-test validate'],
    ['Check one file', 'llm-tool-test validate fixtures/stock_delivery.yaml'],
    [
      'Find task folders whose solution fails, or that pass without any work',
      'llm-tool-test validate path/to/tasks --tasks',
    ],
  );
}

export function addScenarios(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('scenarios')
    .description('List the scenarios in the fixtures folder')
    .option('--tags <tags>', 'only scenarios with any of these tags (comma-separated, repeatable)', parseList, [])
    .option('--tier <n>', 'only scenarios of this tier or lower', tier)
    .option('--all', 'also list the YAML and JSON files there that are no scenarios', false)
    .option(...JSON_FLAG, false)
    .action(async ({ json, all, ...selection }) =>
      exitWith((await import('../validate.js')).listScenarios(selection, { json, all })),
    );
  addHelp(
    command,
    'validate-scenarios',
    ['List all scenarios', 'llm-tool-test scenarios'],
    ['List those tagged smoke or git', 'llm-tool-test scenarios --tags smoke,git'],
  );
}
