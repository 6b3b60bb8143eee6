import { stderr, stdout } from 'node:process';
import type { SweepDocument } from '#decide';
import { remembered, shortestPath } from '#host';
import { codeFrame, formatProblem, jsonPieces, plainText, type Problem, type UsageError } from '#lib';
import { renderSweep, type Screen, type TextOptions } from '#reports';

/** The columns of the terminal, or a width that is readable in a log. */
const widthOf = (stream: { columns?: number }): number => stream.columns ?? 120;

/**
 * True for terminals, unless NO_COLOR is set. FORCE_COLOR enables colours anywhere, and FORCE_COLOR=0 disables them.
 */
export const hasColor = (stream: { isTTY?: boolean }): boolean => {
  if ((process.env['NO_COLOR'] ?? '') !== '') return false;
  const force = process.env['FORCE_COLOR'];
  return force === undefined ? stream.isTTY === true : force !== '0';
};

export const textOptions = (): Required<TextOptions> => ({
  color: hasColor(stdout),
  width: widthOf(stdout),
  showPath: shortestPath,
});

/** Lines that `show` prints if stdout is not a terminal. */
const LINES_WITHOUT_TERMINAL = 50;

/** The height of the terminal, with room for the next prompt; none if all is wanted. */
export const screen = (all: boolean): Pick<Screen, 'height' | 'seeAll'> =>
  all
    ? {}
    : {
        height: stdout.isTTY ? Math.max(stdout.rows - 1, 1) : LINES_WITHOUT_TERMINAL,
        seeAll: '--all shows them',
      };

const output = remembered(() => ({ hasJson: false }));

/** True if the command has printed its JSON document. */
export const hasPrintedJson = (): boolean => output().hasJson;

/** Prints the one JSON document of `--json`. */
export const printJson = (document: unknown): void => {
  output().hasJson = true;
  let text = '';
  for (const piece of jsonPieces(document)) {
    text += piece;
    if (text.length < PIECE) continue;
    stdout.write(text);
    text = '';
  }
  stdout.write(`${text}\n`);
};

/** Small documents are written at once. */
const PIECE = 1024 * 1024;

/**
 * Prints a message for people on stderr. It may quote files that anybody has written, so nothing in it controls a
 * terminal.
 */
export const printNotice = (text: string): void => {
  stderr.write(`${plainText(text)}\n`);
};

/** The document that `--json` prints if a command fails. */
export const errorDocument = (code: string, message: string, problems: readonly Problem[] = []) => ({
  error: { code, message, problems },
});

/** Prints an error and all its problems, each with the lines of the file around it. */
export function printUsageError(error: UsageError, json: boolean): void {
  if (json) printJson(errorDocument(error.code, error.message, error.problems));
  printProblems(error.problems, error.texts);
  printNotice(`error: ${error.message}`);
}

/** Prints problems that do not make a file invalid. */
export const printWarnings = (warnings: readonly Problem[], texts: ReadonlyMap<string, string>): void =>
  printProblems(warnings, texts, 'warning: ');

function printProblems(problems: readonly Problem[], texts: ReadonlyMap<string, string>, prefix = ''): void {
  for (const [index, problem] of problems.entries()) {
    printNotice(`${prefix}${formatProblem(problem)}`);
    const text = texts.get(problem.file);
    // Problems at the same place share a frame, for example all missing keys of a map.
    const next = problems[index + 1];
    const same = next?.file === problem.file && next.line === problem.line && next.column === problem.column;
    if (text !== undefined && !same) printNotice(`${codeFrame(text, problem.line, problem.column)}\n`);
  }
}

/** Prints a sweep, as JSON or as text; the text is cut to the height, if there is one. */
export function printSweep(
  document: SweepDocument,
  json: boolean,
  limit: Pick<Screen, 'height' | 'seeAll'> = {},
): void {
  if (json) printJson(document);
  else process.stdout.write(renderSweep(document, { ...textOptions(), ...limit }));
}
