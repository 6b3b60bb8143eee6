import type { CommandLine, Program } from './shared/command-line.js';
import { JSON_FLAG } from './shared/common-options.js';
import { addHelp } from './shared/help.js';
import { list, tier } from './shared/option-values.js';

/** Adds the `scenarios` command. */
export function addScenarios(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('scenarios')
    .description('List the scenarios in the fixtures folder')
    .option('--tags <tags>', 'only scenarios with any of these tags (comma-separated, repeatable)', list, [])
    .option('--tier <n>', 'only scenarios of this tier or lower', tier)
    .option('--all', 'also list the YAML and JSON files there that are no scenarios', false)
    .option(...JSON_FLAG, false)
    .action(async ({ json, all, ...selection }) =>
      exitWith((await import('./scenarios/list-scenarios.js')).listScenarios(selection, { json, all })),
    );
  addHelp(
    command,
    'validate-scenarios',
    ['List all scenarios', 'llm-tool-test scenarios'],
    ['List those tagged smoke or git', 'llm-tool-test scenarios --tags smoke,git'],
  );
}
