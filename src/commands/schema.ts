import { Option } from '@commander-js/extra-typings';
import type { CommandLine, Program } from './shared/command-line.js';
import { addHelp } from './shared/help.js';

/** Adds the `schema` command. */
export function addSchema(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('schema')
    .description('Print the JSON Schema of scenario files, for editors')
    .addOption(
      new Option('--config', 'print the schema of llm-tool-test-config.toml instead').conflicts([
        'rubric',
        'events',
      ]),
    )
    .addOption(
      new Option('--rubric', 'print the schema of rubric files instead').conflicts(['config', 'events']),
    )
    .addOption(
      new Option(
        '--events',
        'print the schema of the lines that an agent with output = "jsonl" prints',
      ).conflicts(['config', 'rubric']),
    )
    .option('--json', 'no effect: the output is always JSON', false)
    .action(async (options) => exitWith((await import('./schema/schema.js')).printSchema(options)));
  addHelp(
    command,
    'schema',
    ['Print the schema of scenario files', 'llm-tool-test schema'],
    ['Save the schema of the config file', 'llm-tool-test schema --config > config.schema.json'],
    ['Print the schema of the events of your own agent', 'llm-tool-test schema --events'],
  );
}
