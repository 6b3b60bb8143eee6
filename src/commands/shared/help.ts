import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { displayPath } from '../../platform/display-path.js';
import { packageFile } from '../../platform/package-info.js';

/** The reference of the command line. It is part of the package. */
const PAGE = 'specs/reference/commands.md';

/** What an example does (empty if it continues the one before), and the command. */
export type Example = readonly [does: string, command: string];

/**
 * Adds examples and the location of the documentation to the end of a verb's help.
 *
 * @param section anchor of the heading in the reference; empty for the whole page
 */
export function addHelp(command: CommandUnknownOpts, section: string, ...examples: Example[]): void {
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
