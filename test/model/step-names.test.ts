import { describe, expect, test } from 'vitest';
import { nameSteps, type StepKind } from '../../src/model/step-names.js';

const named = (...kinds: StepKind[]): string[] =>
  nameSteps(kinds.map((kind) => ({ kind }))).map(({ name, label, index }) => `${name} (${label}) ${index}`);

describe('the names of steps', () => {
  test('are the same in results of all builds', () => {
    expect(named('script', 'script', 'agent', 'command', 'command')).toEqual([
      'context 1 (context 1 of 2) 0',
      'context 2 (context 2 of 2) 1',
      'agent (agent) 0',
      'post 1 (post script 1 of 2) 0',
      'post 2 (post script 2 of 2) 1',
    ]);
  });

  test('distinguish commands before the agent from post scripts, and count them separately', () => {
    expect(named('command', 'script', 'command', 'agent', 'command')).toEqual([
      'command 1 (command 1 of 2) 0',
      'context 1 (context 1 of 1) 0',
      'command 2 (command 2 of 2) 1',
      'agent (agent) 0',
      'post 1 (post script 1 of 1) 2',
    ]);
  });
});
