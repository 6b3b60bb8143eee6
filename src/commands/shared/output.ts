import { stderr, stdout } from 'node:process';
import { codeFrame, formatProblem, type Problem } from '../../lib/problem.js';
import { renderSweep } from '../../reports/sweep-text.js';
import type { SweepDocument } from '../../results/records/sweep-document.js';
import type { UsageError } from '../../lib/usage-error.js';

/** Columns of the terminal, or a width that reads well in a log. */
const widthOf = (stream: { columns?: number }): number => stream.columns ?? 120;

/** Colours on a terminal, unless NO_COLOR is set; FORCE_COLOR asks for them anywhere. */
export const hasColor = (stream: { isTTY?: boolean }): boolean => {
  if ((process.env['NO_COLOR'] ?? '') !== '') return false;
  const force = process.env['FORCE_COLOR'];
  return force === undefined ? stream.isTTY === true : force !== '0';
};

export const textOptions = (): { color: boolean; width: number } => ({
  color: hasColor(stdout),
  width: widthOf(stdout),
});

let printed = false;

/** Called when a command begins: it has printed nothing yet. */
export const beginOutput = (): void => {
  printed = false;
};

/** Whether the one document has been printed. */
export const hasPrintedJson = (): boolean => printed;

/** The one JSON document of `--json`. */
export const printJson = (document: unknown): void => {
  printed = true;
  stdout.write(`${JSON.stringify(document, null, 2)}\n`);
};

export const say = (text: string): void => {
  stderr.write(`${text}\n`);
};

/** What `--json` prints of a command that failed. */
export const errorDocument = (code: string, message: string, problems: readonly Problem[] = []) => ({
  error: { code, message, problems },
});

/** Prints what is wrong, all of it, each problem with the lines of the file that it is in. */
export function printUsageError(error: UsageError, json: boolean): void {
  if (json) printJson(errorDocument(error.code, error.message, error.problems));
  for (const [index, problem] of error.problems.entries()) {
    say(formatProblem(problem));
    const text = error.texts.get(problem.file);
    // several of one place share its frame: all that is missing in a map
    const next = error.problems[index + 1];
    const same = next?.file === problem.file && next.line === problem.line && next.column === problem.column;
    if (text !== undefined && !same) say(`${codeFrame(text, problem.line, problem.column)}\n`);
  }
  say(`error: ${error.message}`);
}

/** A sweep as JSON, or for people. */
export function printSweep(document: SweepDocument, json: boolean): void {
  if (json) printJson(document);
  else process.stdout.write(renderSweep(document, textOptions()));
}
