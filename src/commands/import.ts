import type { CommandLine, Program } from './shared/command-line.js';
import { JSON_FLAG } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `import` command. */
export function addImport(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('import')
    .description('Make scenarios of the evals of a skill, or of a list of prompts')
    .argument(
      '<file>',
      'evals.json of the Agent Skills standard, or a list of prompts: .json, .jsonl or .csv',
    )
    .option('--skill <folder>', 'the skill under test (default: the folder that contains evals/evals.json)')
    .option('--out <folder>', 'where to write the scenarios (default: the fixtures folder)')
    .option('--force', 'overwrite files that exist', false)
    .option(...JSON_FLAG, false)
    .action(async (file, options) =>
      exitWith((await import('./import/import.js')).importSuite(file, options)),
    );
  addHelp(
    command,
    'import',
    ['Import the evals of a skill', 'llm-tool-test import skills/pdf/evals/evals.json'],
    ['Import prompts with should_trigger', 'llm-tool-test import prompts.csv --skill skills/pdf'],
  );
}
