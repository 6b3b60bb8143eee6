import type { CommandLine, Program } from './shared/command-line.js';
import { JSON_FLAG } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `validate` command. */
export function addValidate(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('validate')
    .description('Check scenario files and report all problems with their locations')
    .argument('[files...]', 'scenario files, folders or names (default: all in the fixtures folder)')
    .option('--verbose', 'also list the YAML and JSON files there that are no scenarios', false)
    .option(...JSON_FLAG, false)
    .action(async (files, options) =>
      exitWith((await import('./validate/validate.js')).validate(files, options)),
    );
  addHelp(
    command,
    'validate-scenarios',
    ['Check all scenarios in the fixtures folder', 'llm-tool-test validate'],
    ['Check one file', 'llm-tool-test validate fixtures/stock_delivery.yaml'],
  );
}
