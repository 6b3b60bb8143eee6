import { ownCommand } from '#host';

/** Lists the scenarios that were written. */
export function printWritten(files: readonly string[]): void {
  const count = files.length === 1 ? '1 scenario was' : `${files.length} scenarios were`;
  process.stdout.write(`${[...files, '', `${count} written; check them with ${ownCommand('validate')}`].join('\n')}\n`);
}
