import type { Agent } from './agent.js';
import { classifyByExit } from './failures/classify.js';
import { eventStream } from './streams/plain.js';

/** Stands for the agent in the cells of scenarios in which no agent takes part. It is never started. */
export const none: Agent = {
  name: 'none',
  program: '',
  free: true,
  models: [],
  provider: () => null,
  modelProblem: () => null,
  login: null,
  limitsTurns: false,
  version: null,
  launch() {
    throw new Error('the scenario has no agent step');
  },
  resume: null,
  parser: eventStream,
  classify: classifyByExit,
};
