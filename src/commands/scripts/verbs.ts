import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { JSON_FLAG } from '../common-options.js';

/** The verbs of `scripts`: agent scripts of the project that the working folder is in. */
export function addScriptsVerbs(
  program: CommandUnknownOpts,
  exitWith: (code: Promise<number> | number) => Promise<void>,
): void {
  const scripts = program
    .command('scripts')
    .description('the tools in .agents/scripts, for agents and for you');

  scripts
    .command('list')
    .description('name and summary of each')
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('./list.js')).listAgentScripts(options)));

  scripts
    .command('show')
    .description('the README of a script; with --json what is read in it')
    .argument('<script>', 'name, or path')
    .option(...JSON_FLAG, false)
    .action(async (script, options) =>
      exitWith((await import('./show.js')).showAgentScript(script, options)),
    );

  scripts
    .command('run')
    .description("run a script with its README's permissions; prints its JSON, exits as it does")
    .argument('<script>', 'name, or path')
    .argument('[args...]', 'arguments of the script')
    .option('--json', 'changes nothing: it is JSON', false)
    .passThroughOptions()
    .action(async (script, args) => exitWith((await import('./run.js')).runAgentScript(script, args)));

  scripts
    .command('check')
    .description('whether README, source and answers of scripts agree; all problems, each with its place')
    .argument('[script]', 'default: all')
    .option(...JSON_FLAG, false)
    .action(async (script, options) =>
      exitWith((await import('./check.js')).checkAgentScripts(script, options)),
    );

  scripts
    .command('new')
    .description('scaffold a script that passes `scripts check`')
    .argument('<name>', 'like check-coverage, or coverage/check in a group')
    .option(...JSON_FLAG, false)
    .action(async (name, options) => exitWith((await import('./new.js')).newAgentScript(name, options)));

  scripts
    .command('prompt')
    .description('the lines to put into AGENTS.md, so that agents find the scripts')
    .option(...JSON_FLAG, false)
    .action(async (options) => exitWith((await import('./prompt.js')).printScriptsPrompt(options)));

  scripts
    .command('install-command')
    .description('make /execute-script a command of Claude Code, OpenCode and Codex, in this project')
    .argument('[agents...]', 'only for these: claude-code, opencode, codex')
    .option('--command <command>', 'how agents call this program', 'npx --no llm-tool-test')
    .option(...JSON_FLAG, false)
    .action(async (agents, options) =>
      exitWith((await import('./install-command.js')).installCommand(agents, options)),
    );
}
