import { fail, main } from '../../lib/script.ts';
import { readTasks } from '../../lib/tasks/folder.ts';

main({ '<dir>': 'string', '[count]': 'number', '[start-after]': 'string' }, (values) => {
  const { dir, count = 5, 'start-after': startAfter } = values;
  if (!Number.isInteger(count) || count < 1) fail('INVALID_ARGUMENT', `[count] is not 1 or more: ${count}`);
  const tasks = readTasks(dir);
  const before = startAfter === undefined ? -1 : tasks.findIndex(({ number }) => number === startAfter);
  if (startAfter !== undefined && before === -1) {
    fail('START_TASK_NOT_FOUND', `${dir} has no task ${startAfter}`);
  }
  const rest = tasks.slice(before + 1);
  const returned = rest.slice(0, count);
  return {
    tasks: returned,
    total_count: tasks.length,
    returned_count: returned.length,
    has_more: rest.length > returned.length,
    start_after: startAfter,
  };
});
