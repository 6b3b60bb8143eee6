import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyExamples, createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

let project: TestProject;

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
  await copyExamples(project);
});
afterAll(() => project.remove());

describe('the examples', () => {
  test('example_basic passes with the mock, and every link in its reports resolves', async () => {
    const { exitCode, document } = await project.run(['fixtures/example_basic.yaml']);
    expect(document.totals).toMatchObject({ cells: 1, passed: 1 });
    expect(exitCode).toBe(0);
    const { text, path, metrics } = await openRun(document);
    for (const report of ['report.md', 'evaluation.md']) {
      const links = [...(await text(report)).matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) =>
        decodeURIComponent(link),
      );
      expect(links.length).toBeGreaterThan(3);
      for (const link of links) expect(existsSync(path(link)), `${report}: ${link}`).toBe(true);
    }
    expect(await text('evaluation.md')).toMatch(/Human Score/);
    expect(metrics.evaluator_results[0]).toMatchObject({ error: null });
    expect(metrics.gates_passed).toBe(metrics.gates_total);
    const events = (await text('artifacts/events.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; seq: number });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(['setup_command', 'message', 'tool_call', 'tool_result', 'result', 'post_script']),
    );
  });

  test('git_history passes with real git in a private HOME', async () => {
    const { exitCode } = await project.run(['git_history']);
    expect(exitCode).toBe(0);
  });

  test('agent_scripts passes with Deno, and calls of its scripts count as calls of the target', async () => {
    const { exitCode, document, stderr } = await project.run(['agent_scripts']);
    expect(exitCode, stderr).toBe(0);
    const { metrics } = await openRun(document);
    expect(metrics.efficiency).toMatchObject({ total_commands: 2, unique_commands: 2, error_count: 0 });
    expect(metrics.evaluator_results).toMatchObject([{ name: 'orders', score: 1, error: null }]);
  });

  test('the scripts of agent_scripts pass `scripts check`', async () => {
    const { exitCode, stdout } = await project.start(['scripts', 'check'], {}, 'fixtures/agent_scripts');
    expect(exitCode, stdout).toBe(0);
  });

  test('a run prints the outcome and the path of the report', async () => {
    const { exitCode, stdout } = await project.cli(['run', 'example_basic']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/pass\s+example_basic/);
    const [, report = ''] = /^report {3}(llm-tool-test-results\/\S+report\.md)$/m.exec(stdout) ?? [];
    expect(existsSync(join(project.folder, report))).toBe(true);
  });
});

test('a proxy set in the shell is not used for the server on loopback', async () => {
  const proxy = 'http://127.0.0.1:9'; // nothing listens there
  await project.write('fixtures/proxied.yaml', scenario('proxied', { steps: ['say: done'] }));
  const { exitCode } = await project.run(['proxied'], {
    https_proxy: proxy,
    http_proxy: proxy,
    no_proxy: '',
  });
  expect(exitCode).toBe(0);
});

describe('the matrix', () => {
  test('has scenarios x agents x models x repetitions, from flags', async () => {
    await project.write('llm-tool-test-config.toml', '[agents.echoer]\ncommand = "echo"\nfree = true\n');
    for (const name of ['one', 'two'])
      await project.write(`fixtures/${name}.yaml`, scenario(name, { steps: ['say: x'] }));
    const { exitCode, document } = await project.run([
      'one',
      'two',
      '--agents',
      'mock,echoer',
      '--models',
      'a,b',
      '--repeat',
      '2',
      '--concurrency',
      '3',
    ]);
    expect(exitCode).toBe(0);
    expect(document.cells).toHaveLength(16);
    expect(new Set(document.cells.map(({ results_dir }) => results_dir)).size).toBe(16);
    expect(document.cells.map(({ id }) => id)).toContain('two/echoer/b/default/2');
  });

  test('takes its agents from tool_matrix or a profile; --tools replaces them', async () => {
    await project.write(
      'llm-tool-test-config.toml',
      '[agents.echoer]\ncommand = "echo"\nfree = true\n[profiles.wide]\nagents = ["mock", "echoer"]\n',
    );
    await project.write(
      'fixtures/listed.yaml',
      scenario('listed', { more: 'tool_matrix: [{tool: echoer, models: [m1, m2]}]' }),
    );
    await project.write('fixtures/open.yaml', scenario('open'));
    const ids = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await project.cli(['run', ...args, '--dry-run', '--json']);
      return (JSON.parse(stdout) as { cells: { id: string }[] }).cells.map(({ id }) => id);
    };
    expect(await ids('listed')).toEqual(['listed/echoer/m1/default/1', 'listed/echoer/m2/default/1']);
    expect(await ids('listed', '--tools', 'mock')).toEqual(['listed/mock/default/default/1']);
    expect(await ids('open', '--profile', 'wide')).toEqual([
      'open/mock/default/default/1',
      'open/echoer/default/default/1',
    ]);
  });

  test('has the scenarios that tags and tier select', async () => {
    await project.write(
      'fixtures/tagged/quick.yaml',
      scenario('quick', { steps: ['say: x'], more: 'tags: [smoke, cli]' }),
    );
    await project.write(
      'fixtures/tagged/deep.yaml',
      scenario('deep', { steps: ['say: x'], more: 'tags: [cli]\ntier: 2' }),
    );
    const names = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await project.cli(['run', 'tagged', ...args, '--dry-run', '--json']);
      return (JSON.parse(stdout) as { scenarios: { name: string }[] }).scenarios.map(({ name }) => name);
    };
    expect(await names('--tags', 'smoke,other')).toEqual(['quick']);
    expect(await names('--tags', 'cli')).toEqual(['deep', 'quick']);
    expect(await names('--tags', 'cli', '--tier', '1')).toEqual(['quick']);
    const nothing = await project.cli(['run', 'tagged', '--tags', 'none']);
    expect(nothing.exitCode).toBe(2);
    expect((await project.cli(['run', 'tagged', '--tags', 'none', '--pass-with-no-scenarios'])).exitCode).toBe(0);
  });

  test('is shown by --dry-run, which leaves nothing behind', async () => {
    const fresh = await createProject(
      { ...EMPTY_FIXTURE, 'fixtures/dry.yaml': scenario('dry', { steps: ['say: x'] }) },
      { ownEngine: true }, // its state folder is empty
    );
    const { exitCode, stdout } = await fresh.cli(['run', 'dry', '--dry-run']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('dry/mock/default/default/1');
    expect(await readdir(fresh.folder)).toEqual(['fixtures']);
    expect(await readdir(fresh.state)).toEqual([]);
    await fresh.remove();
  });
});

test('--dry-run shows agents and judges that may spend money without LLM_TOOL_TEST_ENABLED', async () => {
  const judge = `judge: {enabled: true, rubric: r.yaml, pass_threshold: 0.5, model: openai/x}`;
  const fresh = await createProject(
    {
      ...EMPTY_FIXTURE,
      'fixtures/r.yaml': 'criteria: [{id: a, weight: 1, description: x}]\noutput: {format: json, require_fields: []}\n',
      'fixtures/paid.yaml': scenario('paid', { more: 'tool_matrix: [{agent: claude-code}]' }).replace(
        /^evaluation:$/m,
        `evaluation:\n  ${judge}`,
      ),
    },
    { ownEngine: true },
  );
  const keys = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b' };
  const { exitCode, stdout, stderr } = await fresh.cli(['run', 'paid', '--dry-run', '--json'], keys);
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    scenarios: [{ judge: 'openai/x' }],
    cells: [{ agent: 'claude-code' }],
  });
  expect([await readdir(fresh.folder), await readdir(fresh.state)]).toEqual([['fixtures'], []]);
  for (const args of [
    ['run', 'paid'],
    ['run', 'paid', '--agents', 'mock'],
    ['run', 'paid', '--no-judge'],
  ])
    expect((await fresh.cli(args)).stderr, args.join(' ')).toContain('LLM_TOOL_TEST_ENABLED=1');
  await fresh.remove();
});

test('an agent that may spend money runs only with LLM_TOOL_TEST_ENABLED=1', async () => {
  await project.write('llm-tool-test-config.toml', '[agents.paid]\ncommand = "true"\n');
  await project.write('fixtures/paid.yaml', scenario('paid', { more: 'tool_matrix: [{tool: paid}]' }));
  const refused = await project.cli(['run', 'paid']);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('LLM_TOOL_TEST_ENABLED=1');
  expect((await project.cli(['run', 'paid'], { LLM_TOOL_TEST_ENABLED: 'true' })).exitCode).toBe(2);
  expect((await project.run(['paid'], { LLM_TOOL_TEST_ENABLED: '1' })).exitCode).toBe(0);
});
