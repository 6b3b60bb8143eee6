import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

let project: TestProject;
beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'llm-tool-test-config.toml': '[budgets]\nmonth_usd = 1\n[budgets.owners]\nnobody = 0\nrich = 50\n',
    'fixtures/dear.yaml': scenario('dear', {
      gates: ['{type: file_exists, path: README.md}'],
      steps: ['usage: {cost_usd: 0.3}'],
      more: 'cost: {max_usd: 0.3}',
    }),
    'fixtures/free.yaml': scenario('free', { gates: ['{type: file_exists, path: README.md}'], steps: [] }),
  });
});
afterAll(() => project.remove());

const dear = (owner: string, repeat: number, ...more: string[]): string[] => [
  ...['dear', '--no-cache', '--owner', owner, '--repeat', String(repeat), ...more],
];
const monthNow = (): string => new Date().toISOString().slice(0, 7);

test('the sweeps of an owner stop when a month is used up, and then none begins; others go on', async () => {
  const first = await project.run(dear('ann', 2));
  expect(first.document).toMatchObject({ cost_usd: 0.6, totals: { passed: 2 } });
  const dry = await project.cli(['run', ...dear('ann', 1), '--dry-run', '--json']);
  expect(JSON.parse(dry.stdout)).toMatchObject({
    month: { owner: 'ann', month: monthNow(), max_usd: 1, spent_usd: 0.6, left_usd: 0.4 },
  });
  const asText = await project.cli(['run', ...dear('ann', 1), '--dry-run']);
  expect(asText.stdout).toContain(`$0.40 is left of the $1.00 that the sweeps of ann may cost in ${monthNow()}\n`);
  const planned = await project.cli(['plan', 'dear'], { LLM_TOOL_TEST_OWNER: 'ann' });
  expect(planned.stdout).toContain('$0.40 is left of the $1.00 that the sweeps of ann may cost');

  const second = await project.run(dear('ann', 3));
  expect(second.exitCode).toBe(3);
  expect(second.document).toMatchObject({ cost_usd: 0.3, totals: { passed: 1, errored: 2 } });
  const left = second.document.cells.filter(({ outcome }) => outcome === 'error');
  expect(left[0]).toMatchObject({ attempts: 0, gates_total: null });
  expect(left[0]?.message).toContain(`what the sweeps of ann may cost in ${monthNow()}, $1 ($0.9 spent)`);

  const other = await project.run(dear('bob', 1));
  expect(other.document.totals).toMatchObject({ passed: 1 });
  await project.write('llm-tool-test-config.toml', '[budgets]\nmonth_usd = 1\n[budgets.owners]\nann = 2\n');
  const retried = await project.cli(['retry', second.document.sweep, '--json']);
  expect(JSON.parse(retried.stdout)).toMatchObject({ totals: { passed: 3, errored: 0 } });
});

test('without money, nothing is started that may cost some', async () => {
  await project.write('llm-tool-test-config.toml', '[budgets.owners]\nnobody = 0\n');
  const refused = await project.cli(['run', ...dear('nobody', 1), '--json']);
  expect(refused.exitCode).toBe(2);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'budget_spent' } });
  const free = await project.run(['free', '--agents', 'mock', '--owner', 'nobody']);
  expect(free.document.totals).toMatchObject({ passed: 1 });
});

test('two sweeps of an owner at once share the month', async () => {
  await project.write('llm-tool-test-config.toml', '[budgets]\nmonth_usd = 1.5\n');
  const both = await Promise.all([project.run(dear('eve', 5)), project.run(dear('eve', 5))]);
  const usd = both.reduce((sum, { document }) => sum + (document.cost_usd ?? 0), 0);
  // One run of each sweep may begin while the other's last one is open.
  expect(usd).toBeGreaterThan(1);
  expect(usd).toBeLessThanOrEqual(1.5 + 4 * 0.3);
  expect(both.flatMap(({ document }) => document.cells).some(({ attempts }) => attempts === 0)).toBe(true);
});
