import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { baselineOf } from '../../src/decide/comparison/baseline.js';
import { readBaseline, writeBaseline } from '../../src/store/baseline-file.js';
import { sweepOf, type Outcomes } from '../decide/comparison/sample.js';

const folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-baseline-'));
const file = join(folder, 'baseline.jsonl');
const git = (...args: string[]) =>
  execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: folder });
afterAll(() => rmSync(folder, { recursive: true }));

const commit = async (branch: string, outcomes: Outcomes): Promise<void> => {
  await git('checkout', '--quiet', '-B', branch, 'start');
  await writeBaseline(file, baselineOf(sweepOf(branch, outcomes)));
  await git('commit', '--quiet', '--all', '--message', branch);
};

beforeAll(async () => {
  await git('init', '--quiet');
  writeFileSync(join(folder, '.gitattributes'), 'baseline.jsonl merge=union\n');
  await writeBaseline(file, baselineOf(sweepOf('old', { alpha: 'ppf', omega: 'ppp' })));
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'start');
  await git('branch', 'start');
});

test('branches that add different scenarios merge without a conflict', async () => {
  await commit('one', { beta: 'ppf' });
  await commit('two', { gamma: 'pff' });
  await git('merge', '--quiet', '--no-edit', 'one');
  const scenarios = (await readBaseline(file)).map(({ scenario }) => scenario);
  expect(scenarios.sort()).toEqual(['alpha', 'beta', 'gamma', 'omega']);
});

test('a line that both branches have changed is there twice, and is refused', async () => {
  await commit('one', { alpha: 'fff' });
  await commit('two', { alpha: 'ppp' });
  await git('merge', '--quiet', '--no-edit', 'one');
  expect(readFileSync(file, 'utf8')).not.toContain('<<<<');
  await expect(readBaseline(file)).rejects.toThrow(
    /baseline\.jsonl is not a baseline: line 2: alpha .*is also on line 1; keep one of them/,
  );
});
