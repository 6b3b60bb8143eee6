import { Option } from '@commander-js/extra-typings';
import type { CommandLine, Program } from './shared/command-line.js';
import { JSON_FLAG } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `init` command. */
export function addInit(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('init')
    .description('Create a config file, a scenario and its fixture, ready to run')
    .argument('[dir]', 'folder to create them in; created if missing (default: the working folder)')
    .addOption(
      new Option(
        '--template <name>',
        'what to create: a test of a program, one in the form of ElizaOS, or one of a skill or an MCP server',
      )
        .choices(['default', 'eliza', 'skill', 'mcp'] as const)
        .default('default' as const),
    )
    .addOption(
      new Option(
        '--example [name]',
        'create this example of the package instead; without a name, list the examples',
      ).conflicts('template'),
    )
    .option(...JSON_FLAG, false)
    .action(async (dir, options) => exitWith((await import('./init/init.js')).init(dir ?? '.', options)));
  addHelp(
    command,
    'init',
    ['Set up the working folder', 'llm-tool-test init'],
    ['Set up a new folder', 'llm-tool-test init agent-tests'],
    ['Set up a scenario in the form of ElizaOS', 'llm-tool-test init --template eliza'],
    ['Set up the test of a skill, with and without it', 'llm-tool-test init --template skill'],
    ['Set up the test of an MCP server, with and without it', 'llm-tool-test init --template mcp'],
    ['List the examples, and copy one', 'llm-tool-test init --example'],
    ['', 'llm-tool-test init --example git_history'],
  );
}
