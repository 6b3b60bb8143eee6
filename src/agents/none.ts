import type { Agent } from './agent.js';
import { mock } from './mock.js';

/** Stands for the agent in the cells of scenarios in which no agent takes part. Like `mock` it is free; it never starts. */
export const none: Agent = {
  ...mock,
  name: 'none',
  program: '',
  launch() {
    throw new Error('the scenario has no agent step');
  },
};
