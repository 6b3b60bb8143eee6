import { fail, main } from '../../lib/script.ts';
import { readTasks } from '../../lib/tasks/folder.ts';
import { changeState, readOrBeginState } from '../../lib/tasks/state-file.ts';
import { standingOf, type State } from '../../lib/tasks/state.ts';
import { findTask, isNumber, type Task } from '../../lib/tasks/task.ts';

main({ '[dir]': 'string', '<number>': 'string' }, ({ dir = '.tasks', number }) => {
  if (!isNumber(number)) fail('INVALID_ARGUMENT', `<number> is not like 2 or 1.10: "${number}"`);
  const { state, task } = changeState(dir, () => {
    const tasks = readTasks(dir);
    const asked = findTask(tasks, number) ?? fail('TASK_NOT_FOUND', `${dir} has no task ${number}`);
    return started(tasks, readOrBeginState(dir), asked);
  });
  return { ...state, task };
});

function started(tasks: readonly Task[], state: State, task: Task): { state: State; task: Task } {
  const standing = standingOf(tasks, state);
  switch (standing.kind) {
    case 'finished':
      return fail('INVALID_TRANSITION', 'All tasks are completed');
    case 'verify':
      return fail('AWAITING_VERIFICATION', `Task ${standing.number} is done and waits for its verification`);
    case 'go_on':
      return fail('ALREADY_IN_PROGRESS', `Task ${standing.number} is in progress`);
    case 'start':
      if (standing.task === undefined)
        fail('CURRENT_TASK_NOT_FOUND', `Task ${standing.number}, which comes next, has no file any more`);
      if (standing.task !== task) fail('INVALID_TRANSITION', `Task ${standing.number} comes next, not ${task.number}`);
      return { state: { ...state, current: task.number, status: 'in_progress' }, task };
  }
}
