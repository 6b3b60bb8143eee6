import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Ranking } from '../../src/decide/ranking/document.js';
import { writePastSweep } from './past-sweep.js';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

let project: TestProject;
beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'llm-tool-test-config.toml': ['good', 'bad']
      .map((name) => `[agents.${name}]\ncommand = "./${name}.sh"\nfree = true\n`)
      .join('\n'),
  });
  // `bad` only solves the first task.
  await project.write('good.sh', '#!/bin/sh\ntouch first second\n', 0o755);
  await project.write('bad.sh', '#!/bin/sh\ntouch first\n', 0o755);
  for (const name of ['first', 'second'])
    await project.write(`fixtures/${name}.yaml`, scenario(name, { gates: [`{type: file_exists, path: ${name}}`] }));
});
afterAll(() => project.remove());

const rank = async (...args: string[]): Promise<Ranking> => {
  const { stdout, stderr, exitCode } = await project.cli(['compare', '--agents', ...args, '--json']);
  expect([exitCode, stderr]).toEqual([0, '']);
  return Ranking.parse(JSON.parse(stdout));
};

describe('compare --agents', () => {
  test('ranks the agents of the newest sweep, and says which differences are established', async () => {
    await project.run(['first', 'second', '--agents', 'bad,good', '--repeat', '6', '--no-cache']);
    const ranking = await rank();
    expect(ranking).toMatchObject({
      schema_version: 1,
      status: 'completed',
      scenarios: ['first', 'second'],
      doubts: [],
      agents: [
        { rank: 1, agent: 'good', passed: 12, tested: 12, rate: 1, unbeaten: true, missing: [] },
        { rank: 2, agent: 'bad', passed: 6, tested: 12, rate: 0.5, unbeaten: false, missing: [] },
      ],
      pairs: [{ first: { agent: 'good' }, second: { agent: 'bad' }, difference: 0.5, verdict: 'better' }],
    });
    const { stdout } = await project.cli(['compare', '--agents']);
    expect(stdout).toMatch(/^✓ best: good\/default passes 100 %\n {2}every other ranked agent/);
    expect(stdout).toMatch(/established differences\n {2}good\/default +better than +bad\/default +\+50 points/);
  });

  test('--margin says which agents are shown to be not much worse than the others', async () => {
    const { margin, agents, pairs } = await rank('--margin', '90');
    expect(margin).toBe(0.9);
    expect(pairs[0]?.not_worse).toMatchObject({ first: { holds: true }, second: { holds: true } });
    expect(agents.map(({ within_margin: within }) => within)).toEqual([true, true]);
    const { stdout } = await project.cli(['compare', '--agents', '--margin', '90']);
    expect(stdout).toMatch(/\n {2}shown to be less than 90 points worse than any other: good\/default, bad\/default\n/);
    expect(stdout).toMatch(/\n {2}good\/default +less than 90 points from +bad\/default$/);
    const strict = await project.cli(['compare', '--agents', '--margin', '10']);
    expect(strict.stdout).toMatch(/\n {2}shown to be less than 10 points worse than any other: good\/default\n/);
  });

  test('--format md prints tables for a pull request', async () => {
    const { stdout } = await project.cli(['compare', '--agents', '--format', 'md', '--margin', '10']);
    expect(stdout).toMatch(
      /^\*\*✓ best: good\/default passes 100 %\*\*\n\n- every other ranked agent is shown to pass less often\n/,
    );
    expect(stdout).toMatch(/\| 1 \| good\/default \| 12\/12 \| 100 % \| 76-100 \|/);
    expect(stdout).toMatch(
      /\*\*established differences\*\*\n\n.*\n.*\n\| good\/default \| better than \| bad\/default \| /,
    );
  });

  test.each([
    ['one sweep only', ['latest', 'latest'], /--agents ranks the agents of one sweep/],
    ['not variants too', ['--variants', 'a,b'], /--agents and --variants cannot be combined/],
    ['not a gate too', ['--fail-on-worse'], /--agents and --fail-on-worse cannot be combined/],
    ['a sweep that exists', ['nothing-like-this'], /nothing-like-this/],
  ])('takes %s', async (_, args, message) => {
    const { stderr, exitCode } = await project.cli(['compare', '--agents', ...args]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe('results of earlier sweeps', () => {
  const write = (past: Omit<Parameters<typeof writePastSweep>[2], 'daysAgo'>): void =>
    void writePastSweep(project.results, null, { daysAgo: 1, ...past });
  const text = async (sweep: string): Promise<string> => (await project.cli(['compare', sweep, '--agents'])).stdout;

  test('an agent whose runs of a scenario all ended with an error has no rank, and the remedy is named', async () => {
    write({
      id: 'holes',
      runs: 16,
      scenarios: ['a', 'b'],
      agents: ['one', 'two'],
      // Cells alternate between the scenarios, and pairs of them between the agents.
      change: (index) => (index % 4 === 3 ? { outcome: 'error' } : {}),
    });
    const shown = await text('holes');
    expect(shown).toMatch(/^\? no ranking\n {2}only one\/default was tested in every scenario\n/);
    expect(shown).toMatch(/! two\/default has no rank: none of its runs passed or failed in b;/);
    expect(shown).toMatch(/! error rates differ: 4 of 8 runs of two\/default and 0 of 8 runs of one\/default/);
    expect(shown).toContain('llm-tool-test retry holes');
  });

  test('without an established difference, the cheapest of the best is named', async () => {
    write({
      id: 'close',
      runs: 24,
      agents: ['dear', 'cheap'],
      change: (index) => ({ cost_usd: index % 2 === 0 ? 0.5 : 0.1, outcome: index === 1 ? 'fail' : 'pass' }),
    });
    const shown = await text('close');
    expect(shown).toMatch(/^\? no single best: dear\/default 100 %, cheap\/default 92 %\n/);
    expect(shown).toContain('the cheapest of them: cheap/default, $0.11 per pass\n');
    expect(shown.match(/◆$/gm)).toHaveLength(2);
  });

  test('too few runs are said to be too few', async () => {
    write({
      id: 'few',
      runs: 4,
      agents: ['x', 'y'],
      change: (index) => (index % 2 === 0 ? {} : { outcome: 'fail' }),
    });
    expect(await text('few')).toMatch(/no difference shown\n {2}x\/default +and +y\/default .*too few runs\n/);
  });

  test('a sweep with a single agent cannot be ranked', async () => {
    write({ id: 'single', runs: 4 });
    const { stderr, exitCode } = await project.cli(['compare', 'single', '--agents']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/single has a single agent and model, mock\/default/),
    ]);
  });
});
