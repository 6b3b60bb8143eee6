import { fail } from '../script.ts';
import { compareNumbers, taskOf, type Task } from './task.ts';

/** The tasks of a folder, in their order. Other files are passed over, and so are folders. */
export function readTasks(folder: string): Task[] {
  requireFolder(folder);
  const tasks = filesIn(folder)
    .flatMap((filename) => taskOf(folder, filename) ?? [])
    .toSorted((one, other) => compareNumbers(one.number, other.number));
  if (tasks.length === 0) fail('NO_TASKS_FOUND', `${folder} has no file like 1-first-task.md`);
  for (const [at, task] of tasks.slice(1).entries()) {
    const before = tasks[at];
    if (compareNumbers(before.number, task.number) === 0) {
      fail('DUPLICATE_NUMBER', `${before.filename} and ${task.filename} have the same number`);
    }
  }
  return tasks;
}

/** Ends the script where a folder of tasks is none. */
export function requireFolder(folder: string): void {
  if (!infoOf(folder).isDirectory) fail('NOT_A_DIRECTORY', `${folder} is not a folder`);
}

function infoOf(folder: string): Deno.FileInfo {
  try {
    return Deno.statSync(folder);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) fail('DIR_NOT_FOUND', `there is no folder ${folder}`);
    if (error instanceof Deno.errors.NotADirectory) fail('NOT_A_DIRECTORY', `${folder} is not in a folder`);
    return failToRead(error);
  }
}

function filesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => (isDirectory ? [] : [name]));
  } catch (error) {
    return failToRead(error);
  }
}

/** For whatever else reading throws; its message names the path. */
export function failToRead(error: unknown): never {
  if (error instanceof Deno.errors.NotCapable) throw error;
  return fail('READ_ERROR', (error as Error).message);
}
