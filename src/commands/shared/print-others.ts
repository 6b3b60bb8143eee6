import { displayPath } from '#host';
import { terminalText } from '#lib';
import type { SearchedFolder } from '#planning';

/** A file among the scenarios that is none, and what it is instead. */
interface Other {
  file: string;
  what: string;
}

/** The files that a search for scenarios has seen and not taken. */
export const otherFiles = (searched: readonly SearchedFolder[]): Other[] =>
  searched.flatMap(({ others }) => others.map(({ path, what }) => ({ file: displayPath(path), what })));

/** Prints files that are no scenarios, and what agents are not given of skills, each on a line. */
export function printOthers(others: readonly Other[], leftOut: readonly string[] = []): void {
  for (const { file, what } of others)
    process.stdout.write(`${terminalText(file)}: no scenario, but ${terminalText(what)}\n`);
  for (const path of leftOut) process.stdout.write(`${terminalText(path)}: not given to agents\n`);
}
