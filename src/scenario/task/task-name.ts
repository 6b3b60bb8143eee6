import { basename, dirname, resolve } from 'node:path';
import { isMap } from '#lib';
import { readToml } from '../load-toml.js';

/** The file that makes a folder a task. */
export const TASK_FILE = 'task.toml';

/** True for the path of the file of a task folder. */
export const isTaskFile = (file: string): boolean => basename(file) === TASK_FILE;

/** The name of the folder of a task's file. */
export const folderName = (file: string): string => basename(dirname(resolve(file)));

/** The name of a task: the one in its file, or that of its folder. */
export function nameOfTask(file: string, text: string): string {
  const read = readToml(file, text);
  const value = read.ok ? read.source.value : null;
  const task = isMap(value) ? value['task'] : null;
  return isMap(task) && typeof task['name'] === 'string' && task['name'] !== '' ? task['name'] : folderName(file);
}
