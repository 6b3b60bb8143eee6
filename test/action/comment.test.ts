import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { commentText, comparisonText, markerOf } from '../../scripts/action/comment-text.js';
import { REPOSITORY } from '../commands/project.js';
import { startGitHub, TOKEN } from './github-server.js';

const server = await startGitHub();
const folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-comment-'));
const file = (name: string): string => join(folder, name);
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  server.comments.length = 0;
  server.asked.length = 0;
  server.refused.clear();
  writeFileSync(file('summary'), '');
  writeFileSync(file('event.json'), '{"pull_request": {"number": 7}}');
});

const MARKER = markerOf('smoke');

async function comment(text: string, env: Record<string, string> = {}) {
  writeFileSync(file('comment.md'), `${MARKER}\n\n${text}`);
  const { exitCode, stdout } = await execa('node', [join(REPOSITORY, 'scripts/action/comment.js')], {
    env: {
      COMMENT: file('comment.md'),
      TITLE: 'smoke',
      TOKEN,
      GITHUB_API_URL: server.address,
      GITHUB_REPOSITORY: 'octo/stock',
      GITHUB_EVENT_PATH: file('event.json'),
      GITHUB_STEP_SUMMARY: file('summary'),
      ...env,
    },
    reject: false,
  });
  return { exitCode, stdout, summary: readFileSync(file('summary'), 'utf8') };
}
const person = (id: number, body: string, association = 'NONE') => ({
  id,
  body,
  user: { type: 'User' },
  author_association: association,
  html_url: '',
});

describe('the comment on a pull request', () => {
  test('is created once, and then updated', async () => {
    expect((await comment('first')).stdout).toMatch(/^commented: https:.*-1$/);
    expect((await comment('second')).stdout).toMatch(/^updated the comment: https:.*-1$/);
    expect(server.comments.map(({ body }) => body)).toEqual([`${MARKER}\n\nsecond`]);
  });

  test('is found beyond the first page of comments', async () => {
    for (let id = 1; id <= 130; id += 1) server.comments.push(person(id, 'looks good'));
    await comment('first');
    await comment('second');
    expect(server.comments).toHaveLength(131);
    expect(server.comments[130]?.body).toContain('second');
  });

  test('does not change comments of others, even if they begin with the marker', async () => {
    server.comments.push(person(1, `${MARKER} mine`), person(2, 'looks good', 'OWNER'));
    await comment('first');
    expect(server.comments.map(({ body }) => body.split('\n').at(-1))).toEqual([
      `${MARKER} mine`,
      'looks good',
      'first',
    ]);
  });

  test('replaces a comment made with the token of a person who may write to the repository', async () => {
    server.comments.push(person(1, `${MARKER}\n\nold`, 'MEMBER'));
    await comment('new');
    expect(server.comments.map(({ body }) => body)).toEqual([`${MARKER}\n\nnew`]);
  });

  test('has a comment for each title', async () => {
    await comment('first');
    expect(server.comments[0]?.body).not.toContain(markerOf('smoke 2'));
    expect(markerOf('a --> b')).toBe('<!-- llm-tool-test: a --_ b -->');
  });

  test.each([
    ['the token may not write, as in workflows of forks', 403, {}],
    ['the token is wrong', 401, { TOKEN: 'other' }],
  ])('is replaced by a line in the summary if %s; the job does not fail', async (_, status, env) => {
    if (status === 403) server.refused.set('POST', 403);
    const { exitCode, stdout, summary } = await comment('text', env);
    expect([exitCode, server.comments]).toEqual([0, []]);
    expect(stdout).toMatch(new RegExp(`^::warning::could not comment .* ${status} .* forks may not comment`));
    expect(summary).toContain(`GitHub answered ${status}`);
    expect(stdout + summary).not.toContain(TOKEN);
  });

  test('is replaced by a line in the summary if GitHub does not answer, or there is no pull request', async () => {
    expect((await comment('text', { GITHUB_API_URL: 'http://127.0.0.1:9' })).summary).toContain('fetch failed');
    writeFileSync(file('event.json'), '{}');
    expect((await comment('text')).summary).toContain('the event names no pull request');
  });
});

describe('the text of the comment', () => {
  const parts = {
    title: 'smoke',
    comparison: 'no base',
    report: '## head\n\ntotals\n\nrest',
    url: 'https://x',
  };

  test('has the comparison and the report, and leads to the run', () => {
    expect(commentText(parts)).toBe(
      `${MARKER}\n\nno base\n\n## head\n\ntotals\n\nrest\n\n<sub>smoke: [this run](https://x)</sub>`,
    );
  });

  test('keeps the headline and the totals of a report that is too long for GitHub', () => {
    const text = commentText({ ...parts, report: `${parts.report}${' x'.repeat(40_000)}` });
    expect(text.length).toBeLessThan(500);
    for (const part of ['no base', '## head', 'totals', 'too long for a comment']) expect(text).toContain(part);
    const both = commentText({ ...parts, comparison: 'y'.repeat(70_000), report: 'z'.repeat(59_000) });
    expect(both.length).toBeLessThan(65_536);
  });

  test('notifies nobody whom an agent mentions', () => {
    expect(commentText({ ...parts, report: 'thanks @octocat and @org/team' })).not.toMatch(/@\w/);
  });

  test('begins with the result of the gate and what compare printed', () => {
    const text = comparisonText({ markdown: '**✗ worse**\n\n| a |\n| --- |\n', result: 'worse' }, 'ma`in');
    expect(text).toBe('## Compared with ``ma`in``: worse\n\n**✗ worse**\n\n| a |\n| --- |');
    expect(comparisonText(null, 'main')).toContain('No completed sweep of `main`');
  });
});
