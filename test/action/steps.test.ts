import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newestWhole } from '../../scripts/action/decide.js';
import { CLI } from '../commands/project.js';
import { PROGRESS, steady } from '../walks/walk.js';
import { runAction, type JobResult } from './action-file.js';
import { startGitHub, TOKEN, type GitHubServer } from './github-server.js';
import { stockRepository } from './stock-repository.js';

let folder: string;
let server: GitHubServer;
const at = (...names: string[]): string => join(folder, ...names);
const workspace = (): string => at('workspace');
const git = (...args: string[]) => execa('git', args, { cwd: workspace() });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-action-'));
  server = await startGitHub();
  await mkdir(at('cache'));
  await stockRepository(workspace());
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

let runs = 0;

/** The user's view of the jobs: the walk test/walks/action.md. */
const seen: string[] = [];
function see(title: string, { failed, log, summary, steps }: JobResult): void {
  const lines = (text: string): string =>
    text
      .split('\n')
      .filter((line) => !PROGRESS.test(line) && !line.startsWith('kept: '))
      .map((line) => steady(line, { folder }).replace(/\brunner-\w{6}\b/g, 'runner'))
      .join('\n')
      .trim();
  seen.push(
    `## ${title}`,
    `Steps: ${steps.join('; ')}. The job ${failed ? 'fails' : 'succeeds'}.`,
    `The log:\n\n\`\`\`\`text\n${lines(log)}\n\`\`\`\``,
    `The summary:\n\n\`\`\`\`\`markdown\n${lines(summary)}\n\`\`\`\`\``,
    `The comment:\n\n\`\`\`\`\`markdown\n${lines(server.comments[0]?.body ?? 'none')}\n\`\`\`\`\``,
  );
}

/** Runs the action in a job of its own, which begins with nothing but a checkout and an installed package. */
async function job(
  event: 'push' | 'pull_request',
  commit: string,
  inputs: Record<string, string> = {},
  env: Record<string, string> = {},
): Promise<JobResult> {
  await git('checkout', '--quiet', '--force', commit);
  await git('clean', '-fdxq');
  await mkdir(join(workspace(), 'node_modules/.bin'), { recursive: true });
  await symlink(CLI, join(workspace(), 'node_modules/.bin/llm-tool-test'));
  runs += 1;
  return runAction({
    inputs: { arguments: '--all --repeat 4', ...inputs },
    github: {
      token: TOKEN,
      base_ref: event === 'push' ? '' : 'main',
      ref_name: event === 'push' ? 'main' : '7/merge',
      run_id: String(1000 + runs),
      run_attempt: '1',
    },
    workspace: workspace(),
    cache: at('cache'),
    event: event === 'push' ? {} : { pull_request: { number: 7 } },
    env: {
      GITHUB_API_URL: server.address,
      GITHUB_REPOSITORY: 'octo/stock',
      GITHUB_RUN_ID: String(1000 + runs),
      GITHUB_SERVER_URL: 'https://github.example',
      LLM_TOOL_TEST_HOME: at('state'),
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      ...env,
    },
  });
}

/** For each cell of the sweep of a job: was its result reused? */
async function cachedCells({ outputs }: JobResult): Promise<boolean[]> {
  const args = ['show', outputs['sweep'] ?? '', '--json', '--results', join(workspace(), 'llm-tool-test-results')];
  const { stdout } = await execa(CLI, args, { env: { LLM_TOOL_TEST_HOME: at('state') } });
  return (JSON.parse(stdout) as { cells: { cached: boolean }[] }).cells.map(({ cached }) => cached);
}

describe('the steps of the action, in a repository with a pull request', () => {
  test('run the scenarios of the base branch, and store the sweep', async () => {
    const ran = await job('push', 'main');
    see('A push to main', ran);
    const { failed, outputs, summary, steps, log } = ran;
    expect(failed, log).toBe(false);
    expect(outputs).toMatchObject({ base: '', comparison: '' });
    expect(summary).toContain('No completed sweep of `main` is stored yet');
    expect(summary).toContain('✅ llm-tool-test: 4 of 4 passed');
    expect(steps).toContain('Store the results of the branch');
    expect(steps).not.toContain('Comment on the pull request');
    expect(await readdir(at('cache'))).toHaveLength(1);
    expect(outputs['report']).toBe('https://github.example/artifacts/llm-tool-test-report.html');
    expect(summary).toContain(`[report](${outputs['report']}#/runs/`);
    expect(await readFile(at('artifacts/llm-tool-test-report.html'), 'utf8')).toMatch(/^<!doctype html>/i);
  });

  let base: string;

  test('compare a pull request with it, comment on it, and fail the job if it is worse', async () => {
    const ran = await job('pull_request', 'worse');
    see('The first commit of a pull request, which is worse', ran);
    const { failed, outputs, summary, log, steps } = ran;
    expect(failed).toBe(true);
    expect(outputs.comparison).toBe('worse');
    base = outputs.base ?? '';
    expect(summary).toContain('✗ worse: 4 of 4 passed before, 0 of 4 now');
    expect(log).toContain('::error title=fail%3A stock_delivery mock/default');
    expect(log).toContain('::error::the sweep is worse than that of the base branch');
    expect(server.comments).toHaveLength(1);
    expect(server.comments[0]?.body).toMatch(
      /^<!-- llm-tool-test: llm-tool-test -->\n\n## Compared with `main`: worse\n/,
    );
    expect(server.comments[0]?.body).toContain('❌ llm-tool-test: 0 of 4 passed');
    expect(server.comments[0]?.body).toContain('https://github.example/octo/stock/actions/runs/1002');
    expect(log).not.toContain(TOKEN);
    expect(log).toMatch(/::error title=fail.*artifacts\/llm-tool-test-report\.html#\/runs\//);
    expect(server.comments[0]?.body).toContain('[HTML report](https://github.example/artifacts/');
    // The base of the next pull request is that of main.
    expect(steps).not.toContain('Store the results of the branch');
    expect(steps).toContain('Store the results of the pull request');
  });

  test('run only what a push to the pull request changes, and compare with the base branch', async () => {
    const again = await job('pull_request', 'worse');
    expect(again.outputs).toMatchObject({ base, comparison: 'worse' });
    expect(again.summary).toContain('cached');
    expect(await cachedCells(again)).toEqual([true, true, true, true]);
  });

  test('update the comment when the pull request has been corrected', async () => {
    const ran = await job('pull_request', 'corrected');
    see('Its second commit, which corrects it', ran);
    const { failed, outputs, log } = ran;
    expect(failed, log).toBe(false);
    expect(outputs).toMatchObject({ base, comparison: 'not shown' });
    expect(server.comments).toHaveLength(1);
    expect(server.comments[0]?.body).toContain('✅ llm-tool-test: 4 of 4 passed');
  });

  test('show what test/walks/action.md has', async () => {
    const text = `# The action in a repository with a pull request\n\n${seen.join('\n\n')}\n`;
    await expect(text).toMatchFileSnapshot('../walks/action.md');
  });

  test('compare with a baseline file of the repository, and fail unless the loss is within the margin', async () => {
    const file = at('baseline.jsonl');
    const args = ['compare', base, '--write-baseline', file, '--results', join(workspace(), 'llm-tool-test-results')];
    await execa(CLI, args, { env: { LLM_TOOL_TEST_HOME: at('state') } });
    const worse = await job('pull_request', 'worse', { baseline: file });
    expect([worse.failed, worse.outputs.comparison]).toEqual([true, 'worse']);
    expect(worse.summary).toContain(`## Compared with \`${file}\`: worse`);
    const few = await job('pull_request', 'corrected', { baseline: file, margin: '10' });
    expect([few.failed, few.outputs.comparison]).toEqual([true, 'undecided']);
    expect(few.log).toContain('too few to show that the loss is within the margin');
  });

  test('say in the summary what the comment would have said if a fork may not comment', async () => {
    server.refused.set('POST', 403).set('PATCH', 403);
    const before = server.comments[0]?.body;
    const { failed, summary, log } = await job('pull_request', 'worse', {
      'fail-on-worse': 'false',
      'fail-on-failure': 'false',
    });
    expect(failed, log).toBe(false);
    expect(summary).toContain('✗ worse: 4 of 4 passed before, 0 of 4 now');
    expect(summary).toContain('Not shown in a comment on the pull request: GitHub answered 403');
    expect(server.comments[0]?.body).toBe(before);
  });

  test('run the cells of a matrix of jobs in shards, and make one sweep of their results', async () => {
    await rm(at('artifacts'), { recursive: true });
    for (const shard of ['1/2', '2/2']) {
      const { failed, log, steps } = await job('push', 'main', { cache: 'false', shard });
      expect(failed, log).toBe(false);
      expect(steps).not.toContain('Write the summary');
    }
    expect(await readdir(at('artifacts'))).toEqual(['llm-tool-test-shard-1-of-2', 'llm-tool-test-shard-2-of-2']);
    const { stdout } = await execa('tar', ['-tf', at('artifacts/llm-tool-test-shard-2-of-2/results.tar')]);
    const [, ofShard = ''] = /sweeps\/(shard-2-of-2-\w+)\//.exec(stdout) ?? [];
    const sweeps = [ofShard, '20261128-whole'].map((id) => ({ id, status: 'completed' }));
    expect(newestWhole(sweeps)).toBe(sweeps[1]);
    const merged = await job('push', 'main', { cache: 'false', merge: at('artifacts') });
    expect(merged.failed, merged.log).toBe(false);
    expect(merged.summary).toContain('✅ llm-tool-test: 4 of 4 passed');
    expect(await cachedCells(merged)).toEqual([true, true, true, true]);
  });

  test('require a limit once agents may cost money', async () => {
    const paid = { LLM_TOOL_TEST_ENABLED: '1' };
    const { failed, log } = await job('push', 'main', {}, paid);
    expect([failed, log.includes('without a limit: add `--max-usd`')]).toEqual([true, true]);
    const limited = await job('push', 'main', { arguments: '--all --max-usd 1' }, paid);
    expect(limited.failed, limited.log).toBe(false);
  });

  test('run no input as a command', async () => {
    const planted = `"; touch ${at('planted')}; echo "$(touch ${at('planted')})`;
    const { failed, log } = await job('push', 'main', {
      arguments: `'${planted}'`,
      title: planted,
    });
    expect(failed).toBe(true);
    expect(log).toContain('llm-tool-test run exited with 2');
    expect(await readdir(folder)).not.toContain('planted');
  });

  test('report input that cannot work, and what to do about it', async () => {
    const unknown = await job('pull_request', 'main', { base: 'other' });
    expect(unknown.log).toContain('begins with other, the input `base`');
    const nowhere = await job('push', 'main', { package: './missing.tgz' });
    expect(nowhere.log).toMatch(/::error::npm could not install llm-tool-test from \.\/missing\.tgz/);
    await git('checkout', '--quiet', 'main');
    for (const { failed, steps } of [unknown, nowhere])
      expect([failed, steps.includes('Store the results of the branch')]).toEqual([true, false]);
  });

  test('install a tarball outside of the project', async () => {
    const source = at('package');
    await mkdir(source);
    const manifest = { name: 'llm-tool-test', version: '9.9.9', bin: 'cli.js' };
    await writeFile(join(source, 'package.json'), JSON.stringify(manifest));
    await writeFile(join(source, 'cli.js'), `#!/bin/sh\n[ "$1" = --version ] && echo 9.9.9 || exec ${CLI} "$@"\n`, {
      mode: 0o755,
    });
    await execa('npm', ['pack', '--pack-destination', dirname(source)], { cwd: source });
    const { failed, log, outputs } = await job('push', 'main', { package: '../llm-tool-test-9.9.9.tgz' });
    expect(failed, log).toBe(false);
    // Each sweep of the base branch is compared with the one before.
    expect(outputs.comparison).toBe('not worse');
    const { stdout } = await git('status', '--porcelain', '--ignored');
    expect(stdout).not.toContain('package');
  });
});
