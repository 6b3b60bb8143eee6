import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { displayPath } from '../../platform/display-path.js';
import { packageFile } from '../../platform/package-info.js';

/** The reference of the command line, which is part of the package. */
const PAGE = 'specs/reference/commands.md';

/** What an example does (empty: it belongs to the one before), and the command. */
export type Example = readonly [does: string, command: string];

/**
 * Ends the help of a verb with examples and the place of its documentation.
 * @param section anchor of the heading in the reference; empty: the whole page
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
