import { z } from 'zod';
import { nonBlank, inSchema } from '../gates/fields.js';
import { distinct, variableName, workspaceFile } from './fields.js';
import type { Path } from './problems/source.js';

const sql = nonBlank('SQL statements').describe(
  'Statements that fill the database; `${...}` is not replaced',
);

/** A file of the workspace. */
const SqliteDatabase = z.strictObject({
  sqlite: workspaceFile.describe('Path of an SQLite file in the workspace; it is made unless it is there'),
  sql,
});
export type SqliteDatabase = z.infer<typeof SqliteDatabase>;

const ADDRESS = /^(postgres(ql)?:\/\/|\$\{[A-Za-z_]\w*\}$)/;

/** A database on a PostgreSQL server, made for each run and dropped after it. */
const PostgresDatabase = z.strictObject({
  postgres: inSchema(
    nonBlank('the address of a PostgreSQL server').refine((text) => ADDRESS.test(text), {
      error: 'expected an address like postgres://user:${PGPASSWORD}@host:5432, or ${NAME}',
    }),
    ADDRESS,
  ).describe(
    'Address of a server; each run gets a database of its own there. ${NAME} is that variable of the shell, and is kept secret',
  ),
  sql,
  env: variableName.default('DATABASE_URL').describe('Variable with the address of the database of the run'),
});
export type PostgresDatabase = z.infer<typeof PostgresDatabase>;

/** A database that is filled before the first step. To add a kind, add its schema here. */
export const Database = z.union([SqliteDatabase, PostgresDatabase]);
export type Database = z.infer<typeof Database>;

/** The databases of a scenario. */
const Databases = z
  .array(Database)
  .check(distinct((one) => ('sqlite' in one ? one.sqlite : undefined), 'file', ['sqlite']))
  .check(
    distinct((one) => ('postgres' in one ? (one.env ?? 'DATABASE_URL') : undefined), 'variable', ['env']),
  );

/** `setup.database`: one database or a list of them. */
export const SetupDatabase = z
  .union([Database, Databases])
  .describe('Databases that are filled before the first step');
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
