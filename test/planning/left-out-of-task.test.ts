import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listTree } from '../../src/host/fs/tree.js';
import { leaveOutOfTask } from '../../src/planning/left-out-of-task.js';

/** The files of a task that its runs are given. */
async function given(files: Record<string, string>): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), 'task-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const entries = await listTree(root, leaveOutOfTask(root).isLeftOut);
  return entries.flatMap(({ kind, path }) => (kind === 'file' ? [path] : []));
}

it('gives tests, solutions and steps, and nothing of the image', async () => {
  const files = ['task.toml', 'environment/Dockerfile', 'steps/a/workdir/x', 'tests/evals/eval_set.json', 'solution/s'];
  const found = await given(Object.fromEntries(files.map((path) => [path, '{"prompt": "x", "expected_output": "y"}'])));
  expect(found).toEqual(['solution/s', 'steps/a/workdir/x', 'tests/evals/eval_set.json']);
});

it('leaves out what .harborignore names, in the syntax of gitignore, of tests and solutions only', async () => {
  expect(
    await given({
      '.harborignore': '*.tmp\n/tests/big/\n',
      'tests/.harborignore': 'secret.txt\n!keep.tmp\n',
      'tests/secret.txt': '',
      'tests/deep/secret.txt': '',
      'tests/a.tmp': '',
      'tests/keep.tmp': '',
      'tests/big/x': '',
      'tests/test.sh': '',
      'solution/secret.txt': '',
      'steps/a/tests/a.tmp': '',
      'steps/a/workdir/a.tmp': '',
    }),
  ).toEqual(['solution/secret.txt', 'steps/a/workdir/a.tmp', 'tests/keep.tmp', 'tests/test.sh']);
});
