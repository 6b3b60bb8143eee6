import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UsageError } from '../../src/lib/errors/usage-error.js';
import { digestOfTask, findDataset } from '../../src/planning/find-dataset.js';

let folder: string;
let cache: string | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-datasets-'));
  cache = process.env['XDG_CACHE_HOME'];
  process.env['XDG_CACHE_HOME'] = join(folder, 'cache');
});
afterEach(() => {
  if (cache === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = cache;
  rmSync(folder, { recursive: true });
});

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', join(folder, 'tasks-repo'), '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
/** The message of the error, with those of its problems. */
const refusal = (name: string): string => {
  try {
    findDataset(name);
  } catch (error) {
    if (error instanceof UsageError) return [error.message, ...error.problems.map(({ message }) => message)].join('\n');
    throw error;
  }
  return 'nothing was refused';
};
const registry = (...tasks: object[]): void => {
  write('set/registry.json', JSON.stringify([{ name: 'small', version: '1.0', description: '', tasks }]));
};

it('finds tasks on disk by the name and version of their dataset', () => {
  write('set/one/task.toml', '');
  registry({ name: 'one', path: 'one' });
  const files = [join(folder, 'set/one/task.toml')];
  expect(findDataset(`${folder}/set/small@1.0`)?.files).toEqual(files);
  expect(findDataset(`${folder}/set/registry.json`)?.files).toEqual(files);
  expect(findDataset(`${folder}/set/one`)).toBeNull();
});

it('names the datasets that there are, and refuses paths that lead out', () => {
  registry({ name: 'one', path: '../one' });
  expect(refusal(`${folder}/set/small@2.0`)).toContain('has small@1.0; name one');
  expect(refusal(`${folder}/set/small@1.0`)).toContain("the path '../one' leads out of its repository");
  write('set/registry.json', '[{"name": "small"}]');
  expect(refusal(`${folder}/set/small@1.0`)).toContain('0.version');
});

it('takes a task as it is in the commit that the dataset names', () => {
  const url = 'https://example.org/team/tasks-repo.git';
  registry({ name: 'one', path: 'all/one', git_url: url, git_commit_id: '0123456789abcdef' });
  expect(refusal(`${folder}/set/small@1.0`)).toContain(`git clone ${url}`);

  mkdirSync(join(folder, 'tasks-repo'));
  git('init', '-q');
  git('remote', 'add', 'origin', 'git@example.org:team/tasks-repo');
  write('tasks-repo/all/one/task.toml', '[metadata]\nv = 1\n');
  git('add', '.');
  git('commit', '-qm', 'one');
  const commit = git('rev-parse', 'HEAD');
  write('tasks-repo/all/one/task.toml', '[metadata]\nv = 2\n');
  execFileSync('mv', [join(folder, 'tasks-repo'), join(folder, 'set/tasks-repo')]);

  expect(refusal(`${folder}/set/small@1.0`)).toMatch(/lacks the commit 0123456789abcdef; get it with: git -C .* fetch/);
  registry({ name: 'one', path: 'all/one', git_url: url, git_commit_id: commit });
  const [file = ''] = findDataset(`${folder}/set/small@1.0`)?.files ?? [];
  expect(execFileSync('cat', [file], { encoding: 'utf8' })).toBe('[metadata]\nv = 1\n');
  registry({ name: 'one', path: 'all/two', git_url: url, git_commit_id: commit });
  expect(refusal(`${folder}/set/small@1.0`)).toContain("has no 'all/two' in the commit");
});

it('takes only the content that a dataset.toml pins', () => {
  write('set/one/task.toml', '[task]\nname = "team/one"\n');
  write('set/one/tests/test.sh', 'true\n');
  write('set/one/tests/secret', 'x');
  write('set/one/tests/.harborignore', 'secret\n');
  chmodSync(join(folder, 'set/one/tests/test.sh'), 0o755);
  // As harbor 0.25.0 computes it.
  const digest = 'sha256:c494d60403a2179039d8014678a991e1e4d754acc7d698e7fd0987666ba0caef';
  expect(digestOfTask(join(folder, 'set/one'))).toBe(digest);
  const manifest = (name: string, hash: string): void => {
    write('set/dataset.toml', `[dataset]\nname = "team/set"\n[[tasks]]\nname = "${name}"\ndigest = "${hash}"\n`);
  };
  manifest('team/one', digest);
  expect(findDataset(`${folder}/set`)?.files).toEqual([join(folder, 'set/one/task.toml')]);
  manifest('team/one', `sha256:${'0'.repeat(64)}`);
  expect(refusal(`${folder}/set/dataset.toml`)).toContain('is another version of team/one');
  manifest('team/two', digest);
  expect(refusal(`${folder}/set`)).toContain(`harbor download team/two@${digest}`);
});
