import { execaSync } from 'execa';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../commands/project.js';

/**
 * Until the package is published, anybody can register its name on npm, and `npx llm-tool-test` would install and run
 * that where the package is missing. `npx --no` never installs anything.
 */
const BARE = /\bnpx +(?!--no\b|--no-install\b)(?:-\S+ +)*llm-tool-test\b/;

const PLACES = [
  '*.md',
  '*.yml',
  '.agents',
  '.ci',
  '.github',
  'action',
  'fixtures',
  'scripts',
  'specs',
  'src',
  'src/commands/templates',
  'test',
];

test('no document, message, template or script calls the package with an npx that may install another one', () => {
  const { stdout } = execaSync('git', ['ls-files', '--', ...PLACES], { cwd: REPOSITORY });
  const files = stdout.split('\n').filter((path) => path !== 'test/documents/bare-npx.test.ts');
  expect(files.length).toBeGreaterThan(500);
  const found = files.filter((path) => BARE.test(readFileSync(join(REPOSITORY, path), 'utf8')));
  expect(found).toEqual([]);
});

test.each([
  ['npx llm-tool-test run', true],
  ['npx -y llm-tool-test run', true],
  ['npx --no llm-tool-test run', false],
  ['npx --no -- llm-tool-test run', false],
  ['npx vitest run', false],
])('%s: %s', (text, bare) => {
  expect(BARE.test(text)).toBe(bare);
});
