import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { releaseProblems } from '../../scripts/release/release-problems.js';
import { NEEDED, tarballProblems } from '../../scripts/release/tarball-problems.js';
import { REPOSITORY } from '../commands/project.js';

describe('a tag', () => {
  const changelog = '# Changelog\n\n## [0.2.0] - Unreleased\n\n## [0.1.0] - 2026-12-01\n';

  test('can be released if it names the version, and the changelog has a dated section for it', () => {
    expect(releaseProblems({ tag: 'v0.1.0', version: '0.1.0', changelog })).toEqual([]);
  });

  test.each([
    ['v0.1.1', '0.1.0', ['the tag is v0.1.1, but the version in package.json is 0.1.0']],
    ['v0.2.0', '0.2.0', ['the section in CHANGELOG.md has no date: ## [0.2.0] - Unreleased']],
    ['v0.3.0', '0.3.0', ['CHANGELOG.md has no section ## [0.3.0]']],
    ['0.1.0', '0.1.0', ['the tag is 0.1.0, but the version in package.json is 0.1.0']],
  ])('%s of version %s: %j', (tag, version, problems) => {
    expect(releaseProblems({ tag, version, changelog })).toEqual(problems);
  });

  test('is refused by the script that the workflow runs', async () => {
    const { exitCode, stderr } = await execa('node', [join(REPOSITORY, 'scripts/check-release.js'), 'v999.0.0'], {
      reject: false,
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('the tag is v999.0.0');
  });
});

describe('a tarball', () => {
  const problemsOf = (paths: string[], { text = '', mode = 0o755, unpackedSize = 1 } = {}): string[] =>
    tarballProblems({ unpackedSize, files: paths.map((path) => ({ path, mode })) }, () => text);

  test('with the needed files has no problem', () => {
    expect(problemsOf(NEEDED)).toEqual([]);
  });

  test.each(['test/a.test.ts', 'dist/cli.js.map', 'specs/.env', 'fixtures/node_modules/a.js', 'src/cli.ts'])(
    'must not contain %s',
    (path) => {
      expect(problemsOf([...NEEDED, path])).toEqual([`${path} does not belong in it`]);
    },
  );

  test('must have everything, be small, and have a bin that can be started', () => {
    expect(problemsOf(NEEDED.slice(1))).toEqual(['dist/cli.js is missing']);
    expect(problemsOf(NEEDED, { mode: 0o644 })).toEqual(['dist/cli.js is not executable']);
    expect(problemsOf(NEEDED, { unpackedSize: 15e6 })).toEqual(['it has 15000000 bytes; at most 14000000']);
  });

  test.each([
    ['a token of GitHub', `ghp_${'a1'.repeat(18)}`],
    ['a token of npm', `npm_${'a1'.repeat(18)}`],
    ['a key of AWS', `AKIA${'A1'.repeat(8)}`],
    ['a key of Anthropic', `sk-ant-api03-${'a-1_'.repeat(22)}`],
    ['a key of OpenAI', `sk-proj-${'a1'.repeat(24)}`],
    ['a private key', `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n${'A'.repeat(64)}`],
  ])('must not contain %s', (_, text) => {
    expect(problemsOf(['LICENSE', ...NEEDED.filter((path) => path !== 'LICENSE')], { text })).toHaveLength(
      NEEDED.length,
    );
  });
});
