import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '#lib';
import { UnusableNamespace } from './connection-problem.js';

const { IndexedValueType } = proto.temporal.api.enums.v1;
type Type = (typeof SEARCH_ATTRIBUTES)[keyof typeof SEARCH_ATTRIBUTES];
const typeNumber = (type: Type): number => IndexedValueType[`INDEXED_VALUE_TYPE_${type}`];
const WANTED = Object.entries(SEARCH_ATTRIBUTES);

/** gRPC codes of a server without the operator service (Temporal Cloud), or with one that we may not use. */
const NOT_FOR_US: readonly unknown[] = [7, 12, 16];
const INVALID_ARGUMENT = 3;
const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/** The attributes that a namespace lacks. */
interface Lacking {
  /** Attributes that do not exist, or whose types are unknown and do not fit. */
  missing: typeof WANTED;
  /** True if this login may list, and so perhaps create, attributes. */
  mayAdminister: boolean;
}

/**
 * Creates our search attributes if they are missing, and checks their types.
 *
 * @throws UnusableNamespace
 */
export async function ensureSearchAttributes(client: Client): Promise<void> {
  const { missing, mayAdminister } = await lacking(client);
  if (missing.length === 0) return;
  if (!mayAdminister) throw unusableNamespace(client.options.namespace, missing);
  await addAttributes(client, missing);
}

/**
 * Returns what a namespace lacks that we cannot create, with the commands that create it; null if it lacks nothing.
 * Changes nothing.
 */
export async function namespaceProblem(client: Client): Promise<string | null> {
  try {
    const { missing, mayAdminister } = await lacking(client);
    return missing.length === 0 || mayAdminister ? null : unusableNamespace(client.options.namespace, missing).message;
  } catch (error) {
    if (error instanceof UnusableNamespace) return error.message;
    throw error;
  }
}

/**
 * Listing attributes takes rights that the users of a namespace may not have; without these, a search by each attribute
 * shows whether it exists.
 *
 * @throws UnusableNamespace if it has attributes of other types
 */
async function lacking(client: Client): Promise<Lacking> {
  const known = await listAttributes(client);
  if (known === null) return { missing: await missingBySearch(client), mayAdminister: false };
  const wrong = WANTED.filter(([name, type]) => ![undefined, null, typeNumber(type)].includes(known[name]));
  if (wrong.length > 0) {
    const list = wrong.map(([name, type]) => `${name} (is ${typeName(known[name])}, expected ${type})`);
    throw new UnusableNamespace(
      `the namespace ${client.options.namespace} has search attributes of other types: ${list.join(', ')}; use a separate namespace`,
    );
  }
  return { missing: WANTED.filter(([name]) => known[name] == null), mayAdminister: true };
}

const typeName = (number: number | null | undefined): string =>
  (IndexedValueType[number ?? 0] ?? 'UNKNOWN').replace('INDEXED_VALUE_TYPE_', '');

/** null if we may not list them. */
async function listAttributes(client: Client): Promise<Record<string, number> | null> {
  const { namespace } = client.options;
  try {
    return (await client.connection.operatorService.listSearchAttributes({ namespace })).customAttributes;
  } catch (error) {
    if (NOT_FOR_US.includes(codeOf(error))) return null;
    throw error;
  }
}

async function addAttributes(client: Client, missing: typeof WANTED): Promise<void> {
  const { namespace } = client.options;
  const searchAttributes = Object.fromEntries(missing.map(([name, type]) => [name, typeNumber(type)]));
  try {
    await client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    if (NOT_FOR_US.includes(codeOf(error))) throw unusableNamespace(namespace, missing);
    throw error;
  }
}

const SAMPLES: Record<Type, string> = { KEYWORD: '"x"', DOUBLE: '0.5', INT: '1' };

async function missingBySearch({ workflow }: Client): Promise<typeof WANTED> {
  const missing: typeof WANTED = [];
  for (const attribute of WANTED) {
    const [name, type] = attribute;
    try {
      await workflow.count(`${name} = ${SAMPLES[type]}`);
    } catch (error) {
      if (codeOf((error as Error).cause) !== INVALID_ARGUMENT) throw error;
      missing.push(attribute);
    }
  }
  return missing;
}

/** The error for a namespace that does not exist. */
export const noNamespace = (namespace: string): UnusableNamespace => {
  const attributes = typesOf(WANTED).map(([name, type]) => `--search-attribute ${name}=${type}`);
  return new UnusableNamespace(
    [
      `there is no namespace ${namespace}, or this login may not use it (set TEMPORAL_NAMESPACE). To create it:`,
      `  temporal operator namespace create --namespace ${namespace} --retention 30d`,
      `on Temporal Cloud (NAME.ACCOUNT is then its name):`,
      `  tcld namespace create --namespace NAME --region REGION --retention-days 30 --auth-method api_key ${attributes.join(' ')}`,
    ].join('\n'),
  );
};

const typesOf = (attributes: typeof WANTED) =>
  attributes.map(([name, type]) => [name, `${type.slice(0, 1)}${type.slice(1).toLowerCase()}`] as const);

function unusableNamespace(namespace: string, missing: typeof WANTED): UnusableNamespace {
  const pairs = typesOf(missing);
  const names = pairs.map(([name, type]) => `--name ${name} --type ${type}`).join(' ');
  const cloud = pairs.map(([name, type]) => `--sa "${name}=${type}"`).join(' ');
  return new UnusableNamespace(
    [
      `the namespace ${namespace} lacks search attributes, or has them with other types, and this login may not create them. Someone with the required permission must run:`,
      `  temporal operator search-attribute create --namespace ${namespace} ${names}`,
      `on Temporal Cloud:`,
      `  tcld namespace search-attributes add --namespace ${namespace} ${cloud}`,
    ].join('\n'),
  );
}
