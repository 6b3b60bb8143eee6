import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { readImports } from '../../scripts/select-tests/read-imports.js';
import { tableProblems } from '../../scripts/select-tests/table-problems.js';
import { REPOSITORY } from '../commands/project.js';

test('every test that is not fast is selected by a path that exists, and the script prints what runs and what does not', async () => {
  const { stdout, stderr } = await execa('node', ['scripts/select-tests.js', '--base', 'HEAD', '--day', '0'], {
    cwd: REPOSITORY,
  });
  const files = stdout.split('\n');
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) expect(file).toMatch(/^test\/.*\.test\.ts$/);
  expect(stderr).toMatch(/^tests of the day: \d+ files, about \d+ s$/m);
  expect(stderr).toMatch(/^NOT RUN, as the changes cannot affect them: \d+ files/m);
});

test('a test in no area, an area without tests and a path that does not exist are errors', () => {
  const areas = [
    { tests: ['test/a', 'test/none'], covers: ['src/here/', 'src/gone/'] },
    { tests: ['test/b'], covers: ['src/here/'] },
  ];
  expect(
    tableProblems(areas, ['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts'], (path) => path === 'src/here/'),
  ).toEqual([
    'test/c.test.ts is in no area, so that no change would select it',
    'no test that is not fast begins with test/none',
    'src/gone/ does not exist',
  ]);
});

test('the import of a name from the face of a room is one of the module that has it, and a lazy one is of the whole face', () => {
  const root = mkdtempSync(join(tmpdir(), 'imports-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const files = {
    'src/a/index.ts': "export * from './pure.js';\nexport { one, type Two } from './one.js';\n",
    'src/a/pure.ts': "export {\n  three,\n  four,\n} from './three.js';\n",
    'src/a/one.ts': '',
    'src/a/three.ts': '',
    'src/b/user.ts': "import { four, type Two as Other } from '#a';\nconst a = await import('#a');\n",
    'src/b/pure-user.ts': "import type { three } from '#a/pure';\nimport './user.js';\n",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const modules = ['src/b/user.ts', 'src/b/pure-user.ts'];
  expect(Object.fromEntries(readImports(root, modules))).toEqual({
    'src/b/user.ts': ['src/a/three.ts', 'src/a/one.ts', 'src/a/index.ts'],
    'src/b/pure-user.ts': ['src/a/three.ts', 'src/b/user.ts'],
  });
});
