import { fail, main } from '../../lib/script.ts';
import { changeState, readState } from '../../lib/tasks/state-file.ts';
import type { State } from '../../lib/tasks/state.ts';

main({ '[dir]': 'string' }, ({ dir = '.tasks' }) => {
  return changeState(dir, () => {
    const state = readState(dir);
    if (state.status !== 'in_progress')
      fail('INVALID_TRANSITION', `No task is in progress: the state is ${state.status}`);
    return { state: { ...state, status: 'done' } satisfies State };
  }).state;
});
