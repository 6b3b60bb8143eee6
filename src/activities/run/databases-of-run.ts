import { withDatabase } from '#host';
import { interpolate, sha256, variableNames } from '#lib';
import type { Scenario } from '#scenario';

/** A database of a run on a PostgreSQL server. */
interface ServerDatabase {
  /** Its index among the databases of the scenario. */
  index: number;
  name: string;
  /** Address of the server, as written; with its variables filled in, it may be secret. */
  written: string;
  server: string;
  /** Address of the database, passed on in the variable `env`. */
  address: string;
  env: string;
  sql: string;
}

export interface DatabasesOfRun {
  databases: ServerDatabase[];
  /** The variables for processes of the run. */
  env: Record<string, string>;
  /** Variables in the addresses of servers that have no value. */
  missing: string[];
  /** Values of variables whose addresses cannot be used. */
  invalid: string[];
  secrets: string[];
}

/** Returns the databases that a run has on servers: the same ones in each of its steps. */
export function databasesOfRun(
  { databases = [] }: Pick<Scenario, 'databases' | 'name'>,
  state: string,
  values: Record<string, string>,
): DatabasesOfRun {
  const found: DatabasesOfRun = { databases: [], env: {}, missing: [], invalid: [], secrets: [] };
  for (const [index, database] of databases.entries()) {
    if (!('postgres' in database)) continue;
    const { postgres: written, env, sql } = database;
    const filled = interpolate(written, values);
    if (!filled.ok) found.missing.push(...filled.missing);
    else if (!isAddress(filled.text)) found.invalid.push(written);
    else {
      const name = databaseName(state, index);
      const address = withDatabase(filled.text, name);
      found.databases.push({ index, name, written, server: filled.text, address, env, sql });
      found.env[env] = address;
      // An address that contains a secret differs from the value of the variable.
      if (variableNames(written).length > 0) found.secrets.push(...passwordsIn(address));
    }
  }
  return found;
}

const isAddress = (text: string): boolean => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);

/** The password as written, which may be percent-encoded, and as it is. */
function passwordsIn(address: string): string[] {
  const { password, searchParams } = new URL(address);
  const given = searchParams.get('password');
  return [password, decode(password), ...(given === null ? [] : [given])].filter((text) => text !== '');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * A server may be used by several machines, whose runs have different state folders or ids. The name needs no quotes
 * and is shorter than the 63 bytes that are allowed.
 */
const databaseName = (state: string, index: number): string =>
  `llm_tool_test_${sha256(`${state}\0${index}`).slice(0, 24)}`;
