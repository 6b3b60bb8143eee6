import type { CommandLine, Program } from './shared/command-line.js';
import { JSON_FLAG } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

const SECTION = 'scripts';
const SCRIPT = ['<script>', 'name or path of the script'] as const;

/** Adds the `scripts` command, which manages the agent scripts of the project that contains the working folder. */
export function addScripts(program: Program, { exitWith }: CommandLine): void {
  const scripts = program
    .command('scripts')
    .description('Manage agent scripts, the tools in .agents/scripts');
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
    .action(async (options) => exitWith((await import('./scripts/list.js')).listAgentScripts(options)));
  addHelp(list, SECTION, ['List all scripts', 'llm-tool-test scripts list']);

  const show = scripts
    .command('show')
    .description("Print a script's README (--json: parsed)")
    .argument(...SCRIPT)
    .option(...JSON_FLAG, false)
    .action(async (script, options) =>
      exitWith((await import('./scripts/show.js')).showAgentScript(script, options)),
    );
  addHelp(show, SECTION, ['Print a README', 'llm-tool-test scripts show check-coverage']);

  const run = scripts
    .command('run')
    .description('Run a script with the permissions in its README; print its JSON and exit as it does')
    .argument(...SCRIPT)
    .argument('[args...]', 'arguments of the script')
    .option('--json', 'no effect: the output is always JSON', false)
    .passThroughOptions()
    .action(async (script, args) =>
      exitWith((await import('./scripts/run.js')).runAgentScript(script, args)),
    );
  addHelp(run, SECTION, ['Run a script with an argument', 'llm-tool-test scripts run check-coverage 80']);

  const check = scripts
    .command('check')
    .description('Check that README, source and answers of scripts agree; report all problems')
    .argument('[script]', 'name or path of one script (default: all)')
    .option(...JSON_FLAG, false)
    .action(async (script, options) =>
      exitWith((await import('./scripts/check.js')).checkAgentScripts(script, options)),
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
    .action(async (name, options) =>
      exitWith((await import('./scripts/new.js')).newAgentScript(name, options)),
    );
  addHelp(create, SECTION, ['Create a script in a group', 'llm-tool-test scripts new coverage/check']);

  const prompt = scripts
    .command('prompt')
    .description('Print the lines to put into AGENTS.md so that agents find the scripts')
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('./scripts/prompt.js')).printScriptsPrompt(options)));
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
    .action(async (agents, options) =>
      exitWith((await import('./scripts/install-command.js')).installCommand(agents, options)),
    );
  addHelp(install, SECTION, [
    'Add the command to Claude Code only',
    'llm-tool-test scripts install-command claude-code',
  ]);
}
