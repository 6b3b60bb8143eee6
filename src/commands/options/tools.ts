import { Argument, Option } from '@commander-js/extra-typings';
import { addHelp, type CommandLine, JSON_FLAG, type Program } from '../shared/verb.js';

const SECTION = 'scripts';
const SCRIPT = ['<script>', 'name or path of the script'] as const;

const creation = () => import('../scripts/create.js');

const showing = () => import('../scripts/show.js');

/** Adds the `scripts` command, which manages the agent scripts of the project that contains the working folder. */
export function addScripts(program: Program, { exitWith }: CommandLine): void {
  const scripts = program.command('scripts').description('Manage agent scripts, the tools in .agents/scripts');
  addHelp(
    scripts,
    SECTION,
    ['Create a script', 'llm-tool-test scripts new check-coverage'],
    ['List all scripts', 'llm-tool-test scripts list'],
  );

  const list = scripts
    .command('list')
    .description('List the scripts with their summaries')
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await showing()).listAgentScripts(options)));
  addHelp(list, SECTION, ['List all scripts', 'llm-tool-test scripts list']);

  const show = scripts
    .command('show')
    .description("Print a script's README (--json: parsed)")
    .argument(...SCRIPT)
    .option(...JSON_FLAG, false)
    .action(async (script, options) => exitWith((await showing()).showAgentScript(script, options)));
  addHelp(show, SECTION, ['Print a README', 'llm-tool-test scripts show check-coverage']);

  const run = scripts
    .command('run')
    .description('Run a script with the permissions in its README; print its JSON and exit as it does')
    .argument(...SCRIPT)
    .argument('[args...]', 'arguments of the script')
    .option('--json', 'no effect: the output is always JSON', false)
    .passThroughOptions()
    .action(async (script, args) => exitWith((await import('../scripts/run.js')).runAgentScript(script, args)));
  addHelp(run, SECTION, ['Run a script with an argument', 'llm-tool-test scripts run check-coverage 80']);

  const check = scripts
    .command('check')
    .description('Check that README, source and answers of scripts agree; report all problems')
    .argument('[script]', 'name or path of one script (default: all)')
    .option(...JSON_FLAG, false)
    .action(async (script, options) =>
      exitWith((await import('../scripts/check.js')).checkAgentScripts(script, options)),
    );
  addHelp(
    check,
    SECTION,
    ['Check all scripts', 'llm-tool-test scripts check'],
    ['Check one', 'llm-tool-test scripts check check-coverage'],
  );

  const create = scripts
    .command('new')
    .description('Create a script that passes `scripts check`')
    .argument('<name>', 'for example check-coverage, or coverage/check in a group')
    .option(...JSON_FLAG, false)
    .action(async (name, options) => exitWith((await creation()).newAgentScript(name, options)));
  addHelp(create, SECTION, ['Create a script in a group', 'llm-tool-test scripts new coverage/check']);

  const prompt = scripts
    .command('prompt')
    .description('Print the lines to put into AGENTS.md so that agents find the scripts')
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await creation()).printScriptsPrompt(options)));
  addHelp(prompt, SECTION, ['Tell agents about the scripts', 'llm-tool-test scripts prompt >> AGENTS.md']);

  const install = scripts
    .command('install-command')
    .description('Make /execute-script a command of Claude Code, OpenCode and Codex in this project')
    .argument('[agents...]', 'only for these agents: claude-code, opencode, codex (default: all)')
    .option(
      '--command <command>',
      'how agents call this program (default: npx --no llm-tool-test)',
      'npx --no llm-tool-test',
    )
    .option(...JSON_FLAG, false)
    .action(async (agents, options) => exitWith((await creation()).installCommand(agents, options)));
  addHelp(install, SECTION, [
    'Add the command to Claude Code only',
    'llm-tool-test scripts install-command claude-code',
  ]);
}

export function addSchema(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('schema')
    .description('Print the JSON Schema of scenario files, for editors')
    .addOption(
      new Option('--config', 'print the schema of llm-tool-test-config.toml instead').conflicts(['rubric', 'events']),
    )
    .addOption(new Option('--rubric', 'print the schema of rubric files instead').conflicts(['config', 'events']))
    .addOption(
      new Option('--events', 'print the schema of the lines that an agent with output = "jsonl" prints').conflicts([
        'config',
        'rubric',
      ]),
    )
    .option('--json', 'no effect: the output is always JSON', false)
    .action(async (options) => exitWith((await import('../schema.js')).printSchema(options)));
  addHelp(
    command,
    'schema',
    ['Print the schema of scenario files', 'llm-tool-test schema'],
    ['Save the schema of the config file', 'llm-tool-test schema --config > config.schema.json'],
    ['Print the schema of the events of your own agent', 'llm-tool-test schema --events'],
  );
}

/** Completes the words of an unfinished command line, for the scripts that `completion` prints. */
export const completeWords = async (program: Program, words: readonly string[]): Promise<number> =>
  (await import('../completion/complete.js')).completeWords(program, words);

export function addCompletion(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('completion')
    .description('Print a completion script for a shell; its first lines say how to install it')
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(['bash', 'zsh', 'fish'] as const))
    .option(...JSON_FLAG, false)
    .action(async (shell, options) => exitWith((await import('../completion/complete.js')).completion(shell, options)));
  addHelp(
    command,
    'completion',
    ['Install it for bash', 'llm-tool-test completion bash >> ~/.bashrc'],
    ['Install it for fish', 'llm-tool-test completion fish > ~/.config/fish/completions/llm-tool-test.fish'],
  );
}
