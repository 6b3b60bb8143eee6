import { expect, test } from 'vitest';
import { ElizaFile } from '../../../src/scenario/eliza/schema.js';
import { toScenario } from '../../../src/scenario/eliza/to-scenario.js';

test('the time limits of a conversation are milliseconds in the file and seconds in the scenario', () => {
  const conversation = {
    max_turns: 4,
    timeout_per_turn_ms: 20_000,
    total_timeout_ms: 90_000,
    user_simulator: { persona: 'a beginner', objective: 'gets help' },
  };
  const file = ElizaFile.parse({ name: 'talks', run: [{ input: 'hello', conversation }] });
  expect(toScenario(file).steps).toMatchObject([{ kind: 'conversation', turns: 4, timeout_secs: 20, total_secs: 90 }]);
});
