import { afterAll, beforeAll, expect, test } from 'vitest';
import { kill, linesIn, untilLines } from './engine-parts.js';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

/** 20 when its figures are measured. */
const OWNERS = Number(process.env['OWNERS'] ?? 2);

let project: TestProject;
beforeAll(async () => {
  project = await createProject(
    {
      ...EMPTY_FIXTURE,
      'llm-tool-test-config.toml': '[budgets]\nmonth_usd = 1\n[budgets.owners]\nnobody = 0\nrich = 50\n',
      'fixtures/dear.yaml': scenario('dear', {
        gates: ['{type: file_exists, path: README.md}'],
        steps: ['usage: {cost_usd: 0.3}'],
        more: 'cost: {max_usd: 0.3}',
      }),
      'fixtures/unknown.yaml': scenario('unknown', {
        gates: ['{type: file_exists, path: README.md}'],
        steps: ['usage: {cost_usd: 0.7}'],
      }),
      'fixtures/free.yaml': scenario('free', { gates: ['{type: file_exists, path: README.md}'], steps: [] }),
    },
    { ownServer: true },
  );
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

test(
  'sweeps of owners at once exceed their months by runs in flight, even if worker and server die',
  { timeout: 400_000 },
  async () => {
    // Nobody knows the cost of `unknown` before it has run.
    await project.write('llm-tool-test-config.toml', '[budgets]\nmonth_usd = 1.5\n');
    const args = ['dear', 'unknown', '--no-cache', '--repeat', '4', '--concurrency', '2'];
    const owners = Array.from({ length: OWNERS }, (_, index) => `owner ${index}`);
    const log = 'llm-tool-test-results/results.jsonl';
    const before = linesIn(project, log).length;
    const killed = (async () => {
      await untilLines(project, log, before + OWNERS, 120_000);
      await kill(project, 'worker');
      await untilLines(project, log, before + 2 * OWNERS, 120_000);
      await kill(project, 'server');
    })();
    const overspent = await Promise.all(
      owners.map(async (owner) => {
        const both = await Promise.all([1, 2].map(() => project.run([...args, '--owner', owner])));
        const usd = both.reduce((sum, { document }) => sum + (document.cost_usd ?? 0), 0);
        const cells = both.flatMap(({ document }) => document.cells);
        expect(cells.some(({ attempts }) => attempts === 0)).toBe(true);
        // Of each sweep, two runs may be open when the last dollar is spent.
        expect(usd).toBeGreaterThan(1.5 - 0.7);
        expect(usd).toBeLessThan(1.5 + 4 * 0.7);
        return usd - 1.5;
      }),
    );
    await killed;
    console.log(`overspent by ${overspent.map((usd) => usd.toFixed(2)).join(', ')}`);
  },
);
