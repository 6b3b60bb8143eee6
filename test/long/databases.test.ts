import { readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { bubblewrapProblem } from '../../src/environments/bubblewrap.js';
import { ownNetworkProblem } from '../../src/environments/network.js';
import { createDatabase, dropWithoutForce, PostgresRefusal } from '../../src/host/adapters/postgres.js';
import { readLeftovers } from '../../src/host/leftovers.js';
import { stateOf } from '../commands/engine-parts.js';
import { postgresPrograms, startPostgres, type PostgresServer } from '../commands/postgres-server.js';
import {
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  filesBelow,
  openRun,
  until,
  type TestProject,
} from '../commands/project.js';

if (postgresPrograms === null) console.warn('databases on servers are not tested here: PostgreSQL is not installed');

const lacksNetwork = (await bubblewrapProblem()) ?? (await ownNetworkProblem());
if (lacksNetwork !== null) console.warn(`databases on servers are not tested in sandboxes here: ${lacksNetwork}`);

let project: TestProject;
beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
});
afterAll(() => project.remove());

const write = (name: string, file: object): Promise<void> =>
  project.write(`${name}.scenario.yaml`, JSON.stringify({ name, ...file }, null, 2));
const runFile = (name: string, env: Record<string, string> = {}) => project.run([`${name}.scenario.yaml`], env);

const code = (lang: string, text: string, value: string) => ({
  lang,
  code: text,
  evaluations: [{ type: 'string_contains', value }],
});

describe.skipIf(postgresPrograms === null)('a database on a PostgreSQL server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(postgresPrograms ?? '');
  });
  afterAll(() => server.remove());

  const SEED = "CREATE TABLE notes (body text);\nINSERT INTO notes VALUES ('milk');";
  /** Code that asks the database of the run, as the tests' own `pg` does. */
  const ask = (sql: string, variable = 'DATABASE_URL'): string =>
    `import('${import.meta.resolve('pg')}').then(async ({ default: pg }) => { const c = new pg.Client({ connectionString: process.env.${variable} }); await c.connect(); console.log(JSON.stringify((await c.query(${JSON.stringify(sql)})).rows)); await c.end(); })`;

  test('is made, filled and passed on to steps and gates, and dropped after the run', async () => {
    await write('served', {
      setup: { database: { postgres: '${ADMIN_URL}', sql: SEED } },
      run: [code('node', ask('SELECT body, current_database() AS name FROM notes'), '"body":"milk"')],
      evaluations: [
        {
          type: 'command_output_matches',
          command: 'echo "$DATABASE_URL"',
          pattern: '(?m)/llm_tool_test_[0-9a-f]{24}$',
        },
      ],
    });
    const { document } = await runFile('served', { ADMIN_URL: server.address });
    const { run } = await openRun(document);
    expect([run.outcome, run.message, run.warnings]).toEqual(['pass', '2/2 gates passed', []]);
    expect(await server.databases()).toEqual([]);
    const texts = (await filesBelow(project.results)).map((file) => readFileSync(file, 'utf8'));
    for (const text of texts) {
      expect(text).not.toContain(server.password);
      expect(text).not.toContain(encodeURIComponent(server.password));
    }
    expect(await readLeftovers(stateOf(project))).toEqual([]);
  });

  test.skipIf(lacksNetwork !== null)(
    'is reached from a sandbox with its own network, in which the other ports of loopback are closed',
    async () => {
      const other = inject('temporalAddress').split(':').at(-1);
      await write('inside', {
        environment: { type: 'bubblewrap' },
        setup: { database: { postgres: server.address, sql: SEED } },
        run: [
          code('bash', `${postgresPrograms}/psql "$DATABASE_URL" -Atc 'SELECT body FROM notes'`, 'milk'),
          code('bash', `(exec 3<>/dev/tcp/127.0.0.1/${other}) 2>/dev/null || echo closed`, 'closed'),
        ],
      });
      const { document } = await runFile('inside');
      const { run } = await openRun(document);
      expect([run.outcome, run.message]).toEqual(['pass', '2/2 gates passed']);
      expect(run.sandbox).toEqual({ filesystem: true, network: 'isolated' });
      expect(await server.databases()).toEqual([]);
    },
  );

  test('is the own one of each repetition, under the variable that the file names', async () => {
    await write('own', {
      setup: {
        database: [
          { postgres: server.address, sql: 'CREATE TABLE a (x serial);', env: 'FIRST' },
          { postgres: server.address, sql: 'CREATE TABLE b (x serial);', env: 'SECOND' },
        ],
      },
      run: [
        code('node', ask('INSERT INTO a DEFAULT VALUES RETURNING x', 'FIRST'), '[{"x":1}]'),
        code('node', ask('INSERT INTO b DEFAULT VALUES RETURNING x', 'SECOND'), '[{"x":1}]'),
      ],
    });
    const { document } = await project.run(['own.scenario.yaml', '--repeat', '3']);
    expect(document.totals).toMatchObject({ passed: 3 });
    expect(await server.databases()).toEqual([]);
  });

  test('is dropped although a process that outlives its step is still connected', async () => {
    const connected = `(async () => { const { default: pg } = await import('${import.meta.resolve('pg')}'); const c = new pg.Client({ connectionString: process.env.DATABASE_URL }); c.on('error', () => undefined); await c.connect(); await c.query('LISTEN x'); require('fs').writeFileSync('connected', ''); setInterval(() => undefined, 1000); })()`;
    await write('connected', {
      setup: {
        virtual_fs: { 'connect.cjs': connected },
        database: { postgres: server.address, sql: SEED },
      },
      run: [
        code(
          'bash',
          'setsid node connect.cjs >/dev/null 2>&1 & until [ -e connected ]; do sleep 0.05; done; echo yes',
          'yes',
        ),
      ],
    });
    const { document } = await runFile('connected');
    expect(document.cells[0]?.outcome).toBe('pass');
    expect(await server.databases()).toEqual([]);
  });

  test.each([
    [
      'fails when performed',
      'CREATE TABLE a (x int PRIMARY KEY);\nINSERT INTO a VALUES (1);\nINSERT INTO a VALUES (1);',
      'line 3: INSERT INTO a VALUES (1);: duplicate key value violates unique constraint "a_pkey": Key (x)=(1) already exists.',
    ],
    ['is wrong', 'SELECT 1;\nSELECT\n  nothing;', 'line 3: SELECT nothing;: column "nothing" does not exist'],
  ])('is an error of the run that names the statement if that %s', async (what, sql, message) => {
    const name = what.replaceAll(' ', '-');
    await write(name, {
      setup: { database: { postgres: server.address, sql } },
      run: [code('bash', 'echo x', 'x')],
    });
    const { exitCode, document } = await runFile(name);
    expect([exitCode, document.cells[0]?.outcome]).toEqual([3, 'error']);
    expect(document.cells[0]?.message).toContain(`setup.database.sql: ${message}`);
    expect(await server.databases()).toEqual([]);
  });

  test('is an error of the run if the server refuses, or the address is none; a variable that is not set is refused', async () => {
    await write('refused', {
      setup: {
        database: { postgres: 'postgres://tester:${WRONG}@127.0.0.1:' + String(server.port), sql: SEED },
      },
      run: [code('bash', 'echo x', 'x')],
    });
    const messageWith = async (name: string, env: Record<string, string>) =>
      (await runFile(name, env)).document.cells[0]?.message;
    expect(await messageWith('refused', { WRONG: 'a-wrong-password' })).toContain(
      `setup.database.postgres: PostgreSQL at 127.0.0.1:${server.port} refuses: password authentication failed for user "tester"`,
    );
    const unset = await project.cli(['run', 'refused.scenario.yaml']);
    expect([unset.exitCode, unset.stderr]).toEqual([2, expect.stringContaining('not set: WRONG') as string]);
    await write('unusable', {
      setup: { database: { postgres: '${ADMIN_URL}', sql: SEED } },
      run: [code('bash', 'echo x', 'x')],
    });
    expect(await messageWith('unusable', { ADMIN_URL: 'mysql://somewhere-else' })).toContain(
      'the value of ${ADMIN_URL} is not an address like postgres://user@host:5432',
    );
  });

  test('is dropped with its connections by servers that are too old to do so by themselves', async () => {
    await server.query('CREATE DATABASE llm_tool_test_old');
    const connected = new pg.Client({ connectionString: `${server.address}/llm_tool_test_old` });
    connected.on('error', () => undefined);
    await connected.connect();
    const client = new pg.Client({ connectionString: `${server.address}/postgres` });
    await client.connect();
    for (let time = 0; time < 2; time++) await dropWithoutForce(client, 'llm_tool_test_old');
    await client.end();
    expect(await server.databases()).toEqual([]);
  });

  test('can be made later if the server cannot be reached now', async () => {
    const { signal } = new AbortController();
    const making = createDatabase('postgres://tester@127.0.0.1:1', 'llm_tool_test_none', signal);
    await expect(making).rejects.toThrow(/^PostgreSQL at 127\.0\.0\.1:1 cannot be used now: .*ECONNREFUSED/);
    await expect(making).rejects.not.toBeInstanceOf(PostgresRefusal);
  });

  test('that cannot be dropped is named in the report and by doctor, and dropped when the engine starts', async () => {
    const own = await createProject({}, { ownEngine: true });
    try {
      await own.write(
        'left.scenario.yaml',
        JSON.stringify({
          name: 'left',
          setup: { database: { postgres: server.address, sql: SEED } },
          run: [code('bash', 'touch here; until [ -e go ]; do sleep 0.05; done; echo x', 'x')],
        }),
      );
      const command = own.start(['run', 'left.scenario.yaml', '--json']);
      const here = await until(
        'the step',
        async () => (await filesBelow(own.state)).find((file) => file.endsWith('/workspace/here')) ?? null,
      );
      await server.stop();
      writeFileSync(here.replace(/here$/, 'go'), '');
      const { stdout } = await command;
      const { run } = await openRun(documentOf(stdout));
      expect(run.outcome).toBe('pass');
      expect(run.warnings).toEqual([
        expect.stringMatching(
          /^could not be removed: PostgreSQL database llm_tool_test_\w+ at 127\.0\.0\.1:\d+: .*ECONNREFUSED.*DROP DATABASE llm_tool_test_/,
        ),
      ]);
      const doctor = await own.cli(['doctor', '--json']);
      expect(doctor.stdout).toContain('PostgreSQL database llm_tool_test_');
      expect(await own.cli(['engine', 'stop'])).toMatchObject({ exitCode: 0 });
      await server.start();
      expect(await server.databases()).toHaveLength(1);
      expect(await own.cli(['engine', 'start'])).toMatchObject({ exitCode: 0 });
      await until('the database is dropped', async () => ((await server.databases()).length === 0 ? true : null));
      await until('the note is gone', async () => ((await readLeftovers(stateOf(own))).length === 0 ? true : null));
    } finally {
      await own.remove();
    }
  });
});
