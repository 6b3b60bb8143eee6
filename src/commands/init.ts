import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { planFiles, type NewFile } from './init/plan-files.js';
import { printJson } from './output.js';
import { displayPath } from './project.js';
import { UsageError } from './usage-error.js';

/** `init`: a config, a scenario and its fixture that run at once. All files are made, or none; none is overwritten. */
export function init(dir: string, { json }: { json: boolean }): number {
  const folder = resolve(dir);
  const files = planFiles(folder);
  const taken = inTheWay(folder, files);
  if (taken.length > 0) {
    throw new UsageError(
      'files_in_the_way',
      `nothing was written: ${taken.length === 1 ? 'this is' : 'these are'} in the way; name another folder, or move ${taken.length === 1 ? 'it' : 'them'} away`,
      taken.map((path) => ({ file: path, line: 1, column: 1, path: '', message: 'is there already' })),
    );
  }
  write(folder, files);
  const next = nextCommands(folder);
  const paths = files.map(({ path }) => path);
  if (json) printJson({ folder, files: paths, next: next.map(({ command }) => command) });
  else process.stdout.write(describe(folder, paths, next));
  return 0;
}

/** Files of ours that are there already, and files that stand where a folder must be made. */
function inTheWay(folder: string, files: readonly NewFile[]): string[] {
  const look = (path: string) => {
    try {
      return lstatSync(path);
    } catch {
      // Not there, or below something that is no folder, which is found by itself.
      return undefined;
    }
  };
  const foldersUpTo = (path: string): string[] =>
    path === folder ? [folder] : [...foldersUpTo(dirname(path)), path];
  const needed = new Set(files.flatMap(({ path }) => foldersUpTo(dirname(join(folder, path)))));
  const blocked = [...needed].filter((path) => {
    const found = look(path);
    // A symlink is taken for a folder: should it be none, writing fails and says so.
    return found !== undefined && !found.isDirectory() && !found.isSymbolicLink();
  });
  const existing = files.map(({ path }) => join(folder, path)).filter((path) => look(path) !== undefined);
  return [...blocked, ...existing].map(displayPath);
}

/** @throws UsageError, after taking back what it has made, when a file cannot be written. */
function write(folder: string, files: readonly NewFile[]): void {
  const made: string[] = [];
  try {
    for (const { path, content, mode } of files) {
      const file = join(folder, path);
      const first = mkdirSync(dirname(file), { recursive: true });
      if (first !== undefined) made.push(first);
      // Exclusive: what has come in between is not overwritten either.
      writeFileSync(file, content, { mode, flag: 'wx' });
      made.push(file);
    }
  } catch (error) {
    for (const path of made) rmSync(path, { recursive: true, force: true });
    throw new UsageError('init_failed', `nothing was written: ${(error as Error).message}`);
  }
}

interface Step {
  command: string;
  does: string;
}

function nextCommands(folder: string): Step[] {
  // As it was called: with `npx` the command is not on PATH.
  const name = process.env['npm_command'] === 'exec' ? 'npx llm-tool-test' : 'llm-tool-test';
  const way = relative(process.cwd(), folder);
  return [
    ...(way === '' ? [] : [{ command: `cd ${way.startsWith('../..') ? folder : way}`, does: '' }]),
    { command: `${name} run stock_delivery`, does: 'plays the free agent `mock`, in seconds' },
    { command: `${name} doctor`, does: 'says what is missing here' },
  ];
}

function describe(folder: string, files: readonly string[], next: readonly Step[]): string {
  const width = Math.max(...next.map(({ command }) => command.length));
  return [
    `made in ${displayPath(folder)}:`,
    ...files.map((path) => `  ${path}`),
    '',
    'next:',
    ...next.map(({ command, does }) => `  ${command.padEnd(width)}  ${does}`.trimEnd()),
    '',
    'then read fixtures/stock_delivery.yaml: it says what to change to test a tool of your own',
    '',
  ].join('\n');
}
