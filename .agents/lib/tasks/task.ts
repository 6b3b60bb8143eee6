// Tasks and their order. Pure.

/** A file `<number>-<name>.md` of the folder of tasks. */
export interface Task {
  number: string;
  name: string;
  filename: string;
  path: string;
}

const NUMBER = '\\d+(?:\\.\\d+)*';

/** Whether a text numbers a task: `2`, `1.10`. */
export const isNumber = (text: string): boolean => new RegExp(`^${NUMBER}$`).test(text);

/** The task in a file, or null where the name is not that of a task. */
export function taskOf(folder: string, filename: string): Task | null {
  const [, number, name] = new RegExp(`^(${NUMBER})-(.+)\\.md$`).exec(filename) ?? [];
  if (number === undefined || name === undefined) return null;
  return { number, name, filename, path: `${folder.replace(/\/+$/, '')}/${filename}` };
}

/** Part by part, as numbers; a part that is not there is 0: 1, 1.1, 1.1.1, 1.2, 1.10, 2, and 1 is the same as 1.0. */
export function compareNumbers(one: string, other: string): number {
  const [ofOne, ofOther] = [one.split('.').map(BigInt), other.split('.').map(BigInt)];
  for (let at = 0; at < Math.max(ofOne.length, ofOther.length); at += 1) {
    const [left, right] = [ofOne[at] ?? 0n, ofOther[at] ?? 0n];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

export const findTask = (tasks: readonly Task[], number: string): Task | undefined =>
  tasks.find((task) => compareNumbers(task.number, number) === 0);

/** The first task after a number, of tasks in order. */
export const taskAfter = (tasks: readonly Task[], number: string): Task | undefined =>
  tasks.find((task) => compareNumbers(task.number, number) > 0);
