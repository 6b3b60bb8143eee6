import { fail, main } from '../../lib/script.ts';
import { readTasks } from '../../lib/tasks/folder.ts';
import { changeState, readState } from '../../lib/tasks/state-file.ts';
import { verified } from '../../lib/tasks/state.ts';

main({ '[dir]': 'string' }, ({ dir = '.tasks' }) => {
  const { state, next } = changeState(dir, () => {
    const { current, status } = readState(dir);
    if (current === null || status !== 'done') {
      return fail('INVALID_TRANSITION', `No task waits for its verification: the state is ${status}`);
    }
    return verified(readTasks(dir), current);
  });
  return { ...state, next_task: next };
});
