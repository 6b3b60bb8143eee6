import { expect, test } from 'vitest';
import type { ActionLog } from '../../../src/model/transcript/action-log.js';
import { actionsSection } from '../../../src/reports/run/actions.js';
import { metrics } from '../../model/sample.js';

/** Longer than what a report shows. */
const answer = `the beginning ${'and so on '.repeat(500)}the end`;
const log = (change: Partial<ActionLog>): ActionLog => ({
  actions: [],
  more: 0,
  answer,
  isText: false,
  use: { skills: [], tools: [], problems: [] },
  ...change,
});

test('shows the beginning of the last message of an agent', () => {
  const section = actionsSection(log({}), metrics());
  expect(section).toMatch(/^Its last message:\n\n```\nthe beginning and so on /m);
  expect(section).not.toContain('the end');
});

test('shows the end of the output of an agent that prints text', () => {
  const section = actionsSection(log({ isText: true }), metrics());
  expect(section).toMatch(/^Its output:$/m);
  expect(section).toMatch(/ and so on the end\n```$/);
  expect(section).not.toContain('the beginning');
});
