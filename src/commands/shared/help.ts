import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { displayPath, ownCommand, packageFile } from '#host';

/** The reference of the command line. It is part of the package. */
const PAGE = 'specs/reference/commands.md';

/** What an example does (empty if it continues the one before), and the command. */
export type Example = readonly [does: string, command: string];

/**
 * Adds examples and the location of the documentation to the end of a verb's help. An error of usage names the help instead of
 * printing it: dozens of lines would move the error off the screen.
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
