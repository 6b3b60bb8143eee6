import { type Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { displayPath, ownCommand, packageFile } from '#host';

/** The program that verbs are added to. */
export type Program = Command;

/** Functions that verbs get from the program that they are part of. */
export interface CommandLine {
  /** Sets the exit code of the program. */
  exitWith: (code: Promise<number> | number) => Promise<void>;
}

// Arguments and options of several verbs.
export const SWEEP = ['<sweep>', 'sweep id, a unique prefix of one, or `latest`'] as const;
export const ID = ['id', 'sweep or run id, a unique prefix of one, or `latest` (the newest sweep)'] as const;
export const RESULTS = ['--results <folder>', 'results folder (default: results_path from the config file)'] as const;
export const ADDRESS = ['--address <host:port>', 'use this Temporal server instead of starting a local one'] as const;
export const ENV_FILE = [
  '--env-file <file>',
  'read more environment variables (for ${NAME} and API keys) from a file',
] as const;
export const LIVE = ['--live', 'ignore all mocks: commands, HTTP endpoints and services do their real work'] as const;
export const JSON_FLAG = ['--json', 'print exactly one JSON document on stdout'] as const;
export const judgeModel = () =>
  new Option(
    '--judge-model <name>',
    'judge model, as provider/model or agent:<agent>/<model> (default: from the scenario or config file)',
  ).env('LLM_TOOL_TEST_JUDGE');
export const NO_JUDGE = ['--no-judge', 'do not judge runs'] as const;

/** The reference of the command line. It is part of the package. */
const PAGE = 'specs/reference/commands.md';

/** The purpose of an example (empty if it continues the one before), and the command. */
export type Example = readonly [does: string, command: string];

/**
 * Adds examples and the location of the documentation to the end of a verb's help. An error of usage names the help
 * instead of printing it: dozens of lines would move the error off the screen.
 *
 * @param section anchor of the heading in the reference; empty for the whole page
 */
export function addHelp(command: CommandUnknownOpts, section: string, ...examples: Example[]): void {
  command.showHelpAfterError(`All options: ${ownCommand([...wordsOf(command), '--help'].join(' '))}`);
  command.addHelpText('after', () => {
    const page = displayPath(packageFile(PAGE));
    return [
      '',
      'Examples:',
      ...examples.flatMap(([does, line]) => [...(does === '' ? [] : [`  # ${does}`]), `  $ ${line}`]),
      '',
      `Documentation: ${page}${section === '' ? '' : `#${section}`}`,
    ].join('\n');
  });
}

/** The words that call a verb: `schedule create`. */
const wordsOf = (command: CommandUnknownOpts): string[] =>
  command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
