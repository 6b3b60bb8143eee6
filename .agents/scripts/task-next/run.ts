import { fail, main } from '../../lib/script.ts';
import { readTasks } from '../../lib/tasks/folder.ts';
import { readState } from '../../lib/tasks/state-file.ts';
import { standingOf } from '../../lib/tasks/state.ts';

main({ '[dir]': 'string' }, ({ dir = '.tasks' }) => {
  const tasks = readTasks(dir);
  const standing = standingOf(tasks, readState(dir));
  switch (standing.kind) {
    case 'finished':
      return { task: null, reason: 'All tasks completed' };
    case 'verify':
      return { task: null, reason: `Waiting for verification of task ${standing.number}` };
    default:
      return {
        task: standing.task ?? fail('CURRENT_TASK_NOT_FOUND', `${dir} has no task ${standing.number} any more`),
      };
  }
});
