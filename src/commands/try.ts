import type { CommandLine, Program } from './shared/command-line.js';
import { ADDRESS, JSON_FLAG, RESULTS } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `try` command. */
export function addTry(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('try')
    .description('Draft a scenario from the help of a tool, and run it with the free mock agent')
    .argument('<tool>', 'the tool: a name on PATH, or a path such as ./bin/mytool')
    .option(...RESULTS)
    .option(...ADDRESS)
    .option(...JSON_FLAG, false)
    .action(async (tool, options) => exitWith((await import('./try/try.js')).tryTool(tool, options)));
  addHelp(
    command,
    'try',
    ['Draft a scenario for a tool on PATH', 'llm-tool-test try jq'],
    ['Draft a scenario for a build of your tool', 'llm-tool-test try ./bin/mytool'],
  );
}
