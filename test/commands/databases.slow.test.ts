import { copyFile, mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bubblewrapProblem } from '../../src/environments/bubblewrap.js';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

let project: TestProject;
beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
});
afterAll(() => project.remove());

/** The files of the project have names of their own, and each is one scenario of the ElizaOS form. */
const write = (name: string, file: object): Promise<void> =>
  project.write(`${name}.scenario.yaml`, JSON.stringify({ name, ...file }, null, 2));
const runFile = (name: string, env: Record<string, string> = {}) => project.run([`${name}.scenario.yaml`], env);

/** Prints the rows of a table of an SQLite file. */
const rowsOf = (path: string, table: string): string =>
  `import sqlite3; print(sqlite3.connect('${path}').execute('SELECT * FROM ${table} ORDER BY 1').fetchall())`;
const code = (lang: string, text: string, value: string) => ({
  lang,
  code: text,
  evaluations: [{ type: 'string_contains', value }],
});

const lacking = await bubblewrapProblem();
if (lacking !== null) console.warn(`databases in sandboxes are not tested here: ${lacking}`);

describe('an SQLite file', () => {
  test.each(['local', ...(lacking === null ? ['bubblewrap'] : [])])(
    'is made and filled before the first step in environment.type %s',
    async (type) => {
      await write('made', {
        environment: { type },
        setup: {
          database: {
            sqlite: 'data/notes.db',
            sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT);\nINSERT INTO notes (body) VALUES ('buy; milk'), ('é');",
          },
        },
        run: [code('python', rowsOf('data/notes.db', 'notes'), "[(1, 'buy; milk'), (2, 'é')]")],
      });
      const { document } = await runFile('made');
      const { run } = await openRun(document);
      expect([run.environment, run.outcome, run.message, run.warnings]).toEqual([
        ...[type, 'pass', '1/1 gates passed', []],
      ]);
    },
  );

  test('is filled for our own form of scenario, before setup commands, over a file of the fixture', async () => {
    await write('seed', {
      setup: {
        database: {
          sqlite: 'old.db',
          sql: 'PRAGMA user_version = 7; CREATE TABLE a (x); INSERT INTO a VALUES (1)',
        },
      },
      run: [code('bash', 'cp old.db kept.db && echo kept', 'kept')],
    });
    const seeded = await openRun((await runFile('seed')).document);
    await mkdir(`${project.folder}/fixtures/filled/initial-state`, { recursive: true });
    await copyFile(seeded.path('fixture/kept.db'), `${project.folder}/fixtures/filled/initial-state/old.db`);
    const setup = {
      database: [
        { sqlite: 'old.db', sql: 'INSERT INTO a VALUES (2);' },
        { sqlite: 'new.db', sql: 'CREATE TABLE b (y);' },
      ],
      commands: [`python3 -c "${rowsOf('old.db', 'a')}" >rows.txt`],
    };
    await project.write(
      'fixtures/own.yaml',
      scenario('own', {
        gates: [
          "{type: file_contains, path: rows.txt, substring: '[(1,), (2,)]'}",
          '{type: file_exists, path: new.db}',
        ],
        more: `setup: ${JSON.stringify(setup)}`,
      }).replace('template_folder: empty', 'template_folder: filled'),
    );
    const { document } = await project.run(['own', '--agents', 'mock']);
    expect((await openRun(document)).run.message).toBe('2/2 gates passed');
  });

  test.each([
    [
      'a statement that fails',
      "CREATE TABLE a (x);\n-- not there\nINSERT INTO b VALUES ('1;2');\n",
      "setup.database.sql: line 3: INSERT INTO b VALUES ('1;2');: no such table: b",
    ],
    [
      'a syntax error',
      'CREATE TABLE a (x);\nCREATE TABLEX;',
      'setup.database.sql: line 2: CREATE TABLEX;: near "TABLEX": syntax error',
    ],
  ])('with %s makes the run an error that names it', async (what, sql, message) => {
    const name = what.replaceAll(' ', '-');
    await write(name, { setup: { database: { sqlite: 'a.db', sql } }, run: [code('bash', 'echo x', 'x')] });
    const { exitCode, document } = await runFile(name);
    expect([exitCode, document.cells[0]?.outcome]).toEqual([3, 'error']);
    expect(document.cells[0]?.message).toContain(message);
  });

  test('that is not a database, is in another file, or is named twice is reported', async () => {
    await write('no-database', {
      setup: {
        virtual_fs: { 'a.db': 'hello, this is not a database' },
        database: { sqlite: 'a.db', sql: 'SELECT 1' },
      },
      run: [code('bash', 'echo x', 'x')],
    });
    expect((await runFile('no-database')).document.cells[0]?.message).toContain('file is not a database');
    await write('below', {
      setup: { virtual_fs: { a: '' }, database: { sqlite: 'a/b.db', sql: 'SELECT 1' } },
      run: [code('bash', 'echo x', 'x')],
    });
    const below = await project.cli(['run', 'below.scenario.yaml']);
    expect(below).toMatchObject({ exitCode: 2 });
    expect(below.stderr).toMatch(/below\.scenario\.yaml:8:17 setup\.database\.sqlite: 'a' is a file/);
    const one = { sqlite: 'a.db', sql: 'SELECT 1' };
    await write('twice', { setup: { database: [one, one] }, run: [code('bash', 'echo x', 'x')] });
    const twice = await project.cli(['run', 'twice.scenario.yaml']);
    expect(twice.stderr).toContain("setup.database[1].sqlite: file 'a.db' is used twice; each must be unique");
  });
});
