import { z } from 'zod';
import { distinct, inSchema, nonBlank, type Path, variableName, workspaceFile } from '#input';

const sql = nonBlank('SQL statements').describe('Statements that fill the database; `${...}` is not replaced');

/** A file of the workspace. */
const SqliteDatabase = z.strictObject({
  sqlite: workspaceFile.describe('Path of an SQLite file in the workspace; it is made unless it is there'),
  sql,
});

const ADDRESS = /^(postgres(ql)?:\/\/|\$\{[A-Za-z_]\w*\}$)/;

const DATABASE_URL = 'DATABASE_URL';

/** A database on a PostgreSQL server, made for each run and dropped after it. */
const PostgresDatabase = z.strictObject({
  postgres: inSchema(
    nonBlank('the address of a PostgreSQL server', (text) =>
      ADDRESS.test(text) ? null : 'expected an address like postgres://user:${PGPASSWORD}@host:5432, or ${NAME}',
    ),
    ADDRESS,
  ).describe('Address of a server, on which each run gets a database; ${NAME} is a variable of the shell, kept secret'),
  sql,
  env: variableName.default(DATABASE_URL).describe('Variable with the address of the database of the run'),
});

/** The kinds of databases. To add one, add its schema here. */
const KINDS = [SqliteDatabase, PostgresDatabase] as const;

/** A database that is filled before the first step. */
export const Database = z.union(KINDS);
export type Database = z.infer<typeof Database>;

/** The fields of databases of any kind, which are checked before their kind is known. */
type AnyDatabase = { sqlite?: string; postgres?: string; env?: string };

/** The databases of a scenario. */
const Databases = z
  .array(Database)
  .check(distinct<AnyDatabase>(({ sqlite }) => sqlite, 'file', ['sqlite']))
  .check(
    distinct<AnyDatabase>(
      ({ postgres, env = DATABASE_URL }) => (postgres === undefined ? undefined : env),
      'variable',
      ['env'],
    ),
  );

/** `setup.database`: one database or a list of them. */
export const SetupDatabase = z.union([...KINDS, Databases]).describe('Databases that are filled before the first step');
export type SetupDatabase = z.infer<typeof SetupDatabase>;

/** The databases of `setup.database`, as a list. */
export const databasesIn = (database: SetupDatabase | undefined): Database[] =>
  database === undefined ? [] : [database].flat();

/** Maps a path in the list of databases to its path in the file, below `setup`. */
export const databasePathOf = (database: SetupDatabase | undefined, [index, ...rest]: Path): Path =>
  Array.isArray(database) && index !== undefined ? ['database', index, ...rest] : ['database', ...rest];

/** Addresses of PostgreSQL servers, as written. Their variables are filled in by each run. */
export const serverAddresses = (databases: readonly Database[] = []): string[] =>
  databases.flatMap((one) => ('postgres' in one ? [one.postgres] : []));
