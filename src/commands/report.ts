import { Option } from '@commander-js/extra-typings';
import { formatNames } from '#reports';
import type { CommandLine, Program } from './shared/command-line.js';
import { JSON_FLAG, RESULTS, SWEEP } from './shared/common-options.js';
import { addHelp } from './shared/help.js';

/** Adds the `report` command. */
export function addReport(program: Program, { exitWith }: CommandLine): void {
  const command = program
    .command('report')
    .description('Write a report of a sweep and all its runs')
    .argument(...SWEEP)
    .addOption(
      new Option('--format <format>', 'format of the report (default: md)').choices([
        ...formatNames,
        'html',
      ] as const),
    )
    .option('--output <file>', 'write to this file instead of stdout (`github` appends)')
    .option(...RESULTS)
    .addOption(new Option(JSON_FLAG[0], 'same as --format json').conflicts(['format', 'output']))
    .action(async (id, { json, format = json === true ? 'json' : 'md', ...options }) =>
      exitWith((await import('./report/report.js')).report(id, { ...options, format })),
    );
  addHelp(
    command,
    'report',
    ['Print a report of the newest sweep as Markdown', 'llm-tool-test report latest'],
    ['Write an HTML page', 'llm-tool-test report latest --format html --output report.html'],
    ['Write test results for a CI service', 'llm-tool-test report latest --format junit --output junit.xml'],
  );
}
