import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLeftovers } from '../../src/host/leftovers.js';
import { killMarked } from '../../src/host/process/marked-processes.js';
import { isAlive, signalProcess } from '../../src/host/process/process-identity.js';
import { expectRemoved, kill, linesIn, partOf, stateOf } from '../commands/engine-parts.js';
import { gatedCommand, letGo, untilStarted } from '../commands/gated.js';
import { postgresPrograms, startPostgres, type PostgresServer } from '../commands/postgres-server.js';
import { createProject, documentOf, openRun, until, type TestProject } from '../commands/project.js';
import { processesWith } from '../host/processes.js';

if (postgresPrograms === null) console.warn('kills of steps are not tested here: PostgreSQL is not installed');

let project: TestProject;
let server: PostgresServer;

describe.skipIf(postgresPrograms === null)('a run of code with a database', () => {
  beforeAll(async () => {
    server = await startPostgres(postgresPrograms ?? '');
    project = await createProject({}, { ownServer: true });
  });
  afterAll(async () => {
    await project.remove();
    await server.remove();
  });

  /** A file whose first step waits until it is let go. Each start adds a line to `<name>.starts`. */
  const write = (name: string): Promise<void> =>
    project.write(
      `${name}.scenario.yaml`,
      JSON.stringify({
        name,
        setup: { database: { postgres: '${ADMIN_URL}', sql: 'CREATE TABLE a (x int);' } },
        run: [
          {
            code: `${gatedCommand(project, name)}; echo done`,
            evaluations: [{ type: 'string_contains', value: 'done' }],
          },
          { code: 'echo second', evaluations: [{ type: 'string_contains', value: 'second' }] },
        ],
      }),
    );
  const argsOf = (name: string): string[] => ['run', `${name}.scenario.yaml`, '--name', name, '--json'];
  const env = (): Record<string, string> => ({ ADMIN_URL: server.address });
  /** Runs the file to its end. */
  const runToEnd = async (name: string) => {
    await write(name);
    return project.start(argsOf(name), env());
  };

  /** One result, and nothing of the run is left: neither processes nor files, databases nor notes. */
  async function expectDone(name: string): Promise<void> {
    const lines = (await project.resultLines()).filter(({ scenario_id }) => scenario_id === name);
    expect(lines).toHaveLength(1);
    expect(processesWith(`${name}.go`)).toEqual([]);
    expect(await server.databases()).toEqual([]);
    expect(await readLeftovers(stateOf(project))).toEqual([]);
    expectRemoved(project, name);
  }

  test('repeats the step whose worker was killed, and only that one', async () => {
    const command = runToEnd('struck');
    await untilStarted(project, 'struck');
    const [database] = await server.databases();
    await server.query('INSERT INTO a VALUES (1)', database);
    const first = processesWith('struck.go');
    await kill(project, 'worker');
    await untilStarted(project, 'struck', 2);
    expect(processesWith('struck.go').filter((pid) => first.includes(pid))).toEqual([]);
    // The database is as the step left it.
    expect(await server.query('SELECT x FROM a', database)).toEqual([{ x: 1 }]);
    await letGo(project, 'struck');
    const { exitCode, stdout } = await command;
    const { run } = await openRun(documentOf(stdout));
    expect([exitCode, run.outcome, run.message]).toEqual([0, 'pass', '2/2 gates passed']);
    expect(run.steps.filter(({ attempts }) => attempts === 2).map(({ name }) => name)).toEqual(['command 1']);
    await expectDone('struck');
  });

  test('drops its database once if the worker is killed while it does', async () => {
    const command = runToEnd('torn');
    await untilStarted(project, 'torn');
    const [database = ''] = await server.databases();
    // A comment that is not committed holds back whoever drops the database.
    const holder = new pg.Client({ connectionString: `${server.address}/postgres` });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query(`COMMENT ON DATABASE ${database} IS 'kept'`);
    const untilDropping = (count: number) =>
      until(`${count} attempts to drop the database`, async () => {
        const dropping = await server.query(
          `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'DROP DATABASE%' AND wait_event_type = 'Lock'`,
        );
        return dropping.length >= count ? true : null;
      });
    await letGo(project, 'torn');
    await untilDropping(1);
    await kill(project, 'worker');
    await untilDropping(2);
    expect(await project.resultLines()).not.toContainEqual(expect.objectContaining({ scenario_id: 'torn' }));
    await holder.query('ROLLBACK');
    await holder.end();
    const { exitCode, stdout } = await command;
    const { run } = await openRun(documentOf(stdout));
    expect([exitCode, run.outcome, run.warnings]).toEqual([0, 'pass', []]);
    expect(run.steps.find(({ name }) => name === 'report')?.attempts).toBe(2);
    expect(linesIn(project, 'torn.starts')).toHaveLength(1);
    await expectDone('torn');
  });

  test('that is cancelled ends its code and drops its database', async () => {
    const command = runToEnd('cancelled');
    await untilStarted(project, 'cancelled');
    expect((await project.cli(['cancel', 'cancelled'])).exitCode).toBe(0);
    const { exitCode, stdout } = await command;
    expect([exitCode, documentOf(stdout).cells[0]?.outcome]).toEqual([130, 'cancelled']);
    expect(linesIn(project, 'cancelled.starts')).toHaveLength(1);
    await expectDone('cancelled');
  });

  test('continues after a power failure with the step that was lost', async () => {
    await write('dark');
    await project.cli([...argsOf('dark'), '--detach'], env());
    await untilStarted(project, 'dark');
    const parts = await Promise.all(
      (['keeper', 'server', 'worker'] as const).map((part) => until(part, () => partOf(project, part))),
    );
    for (const part of parts) signalProcess(part, 'SIGKILL');
    await until('all are dead', () => (parts.some(isAlive) ? null : true));
    for (const run of readdirSync(join(stateOf(project), 'work'))) await killMarked(run);
    expect(processesWith('dark.go')).toEqual([]);
    const resumed = project.start(['resume', 'dark', '--json']);
    await untilStarted(project, 'dark', 2);
    await letGo(project, 'dark');
    const { exitCode, stdout } = await resumed;
    expect([exitCode, documentOf(stdout).cells[0]?.outcome]).toEqual([0, 'pass']);
    await expectDone('dark');
  });
});
