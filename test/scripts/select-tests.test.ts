import { execa } from 'execa';
import { expect, test } from 'vitest';
import { tableProblems } from '../../scripts/select-tests/table-problems.js';
import { REPOSITORY } from '../commands/project.js';

test('every test that is not fast is selected by a path that exists, and the script prints what runs and what does not', async () => {
  const { stdout, stderr } = await execa(
    'node',
    ['scripts/select-tests.js', '--base', 'HEAD', '--day', '0'],
    {
      cwd: REPOSITORY,
    },
  );
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
    tableProblems(
      areas,
      ['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts'],
      (path) => path === 'src/here/',
    ),
  ).toEqual([
    'test/c.test.ts is in no area, so that no change would select it',
    'no test that is not fast begins with test/none',
    'src/gone/ does not exist',
  ]);
});
