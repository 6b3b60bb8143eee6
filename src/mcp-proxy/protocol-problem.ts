import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { isJsonObject, type Json } from '../lib/json.js';
import { beginningOf } from '../lib/format/truncate.js';

/*
 * Finds out what a client would refuse, by the schemas of the protocol. Revisions before 2025-11-25 are checked with that one's
 * schema, as clients do: it only adds to theirs.
 */

/** A revision of the protocol whose schema is in `protocol/`. */
export type Revision = '2025-11-25' | '2026-07-28';

const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';

/** The version of the protocol that a request itself names, as all do since 2026-07-28; null if it names none. */
export function versionNamedIn(params: Json | undefined): string | null {
  const meta = isJsonObject(params) ? params['_meta'] : undefined;
  const version = isJsonObject(meta) ? meta[PROTOCOL_VERSION] : undefined;
  return typeof version === 'string' ? version : null;
}

/** The revision whose schema is that of a version of the protocol; null for versions that are not known yet. */
export function revisionOf(version: string): Revision | null {
  if (version === '2026-07-28') return version;
  return version <= '2025-11-25' ? '2025-11-25' : null;
}

const DEFINITION = '#/$defs/';

/** The definitions of results, by the methods of requests. */
const RESULTS: Readonly<Record<string, string>> = {
  initialize: 'InitializeResult',
  ping: 'EmptyResult',
  'server/discover': 'DiscoverResult',
  'subscriptions/listen': 'SubscriptionsListenResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
  'resources/list': 'ListResourcesResult',
  'resources/templates/list': 'ListResourceTemplatesResult',
  'resources/read': 'ReadResourceResult',
  'resources/subscribe': 'EmptyResult',
  'resources/unsubscribe': 'EmptyResult',
  'logging/setLevel': 'EmptyResult',
  'prompts/list': 'ListPromptsResult',
  'prompts/get': 'GetPromptResult',
  'completion/complete': 'CompleteResult',
  'tasks/get': 'GetTaskResult',
  'tasks/list': 'ListTasksResult',
  'tasks/cancel': 'CancelTaskResult',
};

interface Definition {
  anyOf?: { $ref?: string }[];
  properties?: Record<string, { const?: Json }>;
  required?: string[];
}
interface Schema {
  $defs: Record<string, Definition>;
}

/** Checks what a server sends. Each function returns the place and what was expected there, or null. */
export interface ProtocolChecks {
  result(method: string, result: Json, revision: Revision): string | null;
  /** Checks a request or notification of the server. Methods that are not of the protocol are not checked. */
  sent(message: { [key: string]: Json }, revision: Revision): string | null;
  /** Checks the structured content of a result by the schema that the tool declares for it. */
  output(result: { [key: string]: Json }, outputSchema: { [key: string]: Json }): string | null;
}

/** Creates the checks. Schemas are read and compiled when they are first needed. */
export function createProtocolChecks(): ProtocolChecks {
  const require = createRequire(import.meta.url);
  const loaded = new Map<Revision, { ajv: Ajv2020; schema: Schema }>();

  function load(revision: Revision): { ajv: Ajv2020; schema: Schema } {
    const known = loaded.get(revision);
    if (known !== undefined) return known;
    const ajv = newAjv();
    const text = readFileSync(new URL(`./protocol/${revision}.json`, import.meta.url), 'utf8');
    const schema = JSON.parse(text) as Schema;
    ajv.addSchema(schema, 'mcp');
    const made = { ajv, schema };
    loaded.set(revision, made);
    return made;
  }
  function newAjv(): Ajv2020 {
    const { Ajv2020: Ajv } = require('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 };
    const ajv = new Ajv({ allErrors: true, verbose: true, strict: false, logger: false });
    ajv.addFormat('byte', isBase64);
    // Clients of the protocol do not check these.
    for (const name of ['uri', 'uri-template']) ajv.addFormat(name, true);
    return ajv;
  }
  function problemBy(name: string, value: Json, revision: Revision): string | null {
    const { ajv, schema } = load(revision);
    if (!Object.hasOwn(schema.$defs, name)) return null;
    const resolve: Resolve = (reference) => ({
      schema: schema.$defs[reference.slice(DEFINITION.length)] ?? {},
      validate: ajv.getSchema(`mcp${reference}`) as ValidateFunction,
    });
    const { validate } = resolve(`${DEFINITION}${name}`);
    return validate(value) ? null : describe(validate.errors ?? [], resolve);
  }

  return {
    result(method, result, revision) {
      if (isJsonObject(result) && result['resultType'] === 'input_required')
        return problemBy('InputRequiredResult', result, revision);
      if (method === 'tools/call' && isJsonObject(result) && isJsonObject(result['task']))
        return problemBy('CreateTaskResult', result, revision);
      return problemBy(
        Object.hasOwn(RESULTS, method) ? (RESULTS[method] ?? 'Result') : 'Result',
        result,
        revision,
      );
    },
    sent(message, revision) {
      const { schema } = load(revision);
      const kind = schema.$defs['id' in message ? 'ServerRequest' : 'ServerNotification'];
      const names = (kind?.anyOf ?? []).map(({ $ref = '' }) => $ref.slice(DEFINITION.length));
      const name = names.find(
        (each) => schema.$defs[each]?.properties?.['method']?.const === message['method'],
      );
      return name === undefined ? null : problemBy(name, message, revision);
    },
    output(result, outputSchema) {
      const content = result['structuredContent'];
      if (content === undefined)
        return result['isError'] === true
          ? null
          : 'structuredContent: missing, though the tool has an outputSchema';
      try {
        const validate = newAjv().compile(outputSchema);
        if (validate(content)) return null;
        const [first] = validate.errors ?? [];
        const what = first === undefined ? '' : `: ${placed(placeOf(first.instancePath, first), first)}`;
        return `structuredContent does not fit the outputSchema of the tool${what}`;
      } catch {
        return null; // Clients use several libraries, which need not know the same schemas.
      }
    },
  };
}

const isBase64 = (text: string): boolean => {
  try {
    atob(text);
    return true;
  } catch {
    return false;
  }
};

const KEYS: Readonly<Record<string, readonly string[]>> = {
  result: ['jsonrpc', 'id', 'result'],
  error: ['jsonrpc', 'id', 'error'],
  method: ['jsonrpc', 'id', 'method', 'params'],
};

/** What is wrong with a message of JSON-RPC apart from its contents. Clients refuse other keys, too. */
export function envelopeProblem(message: Json): string | null {
  if (!isJsonObject(message)) return `expected an object, got ${shown(message)}`;
  if (message['jsonrpc'] !== '2.0') return `jsonrpc: expected "2.0", got ${shown(message['jsonrpc'])}`;
  const kind = ['method', 'result', 'error'].find((key) => key in message);
  if (kind === undefined) return 'expected a method, a result or an error';
  const { id } = message;
  const mayLackId = kind !== 'result' && id === undefined;
  if (!mayLackId && typeof id !== 'string' && !Number.isInteger(id))
    return `id: expected a string or an integer, got ${shown(id)}`;
  const odd = Object.keys(message).find((key) => KEYS[kind]?.includes(key) !== true);
  if (odd !== undefined) return `${odd}: not expected beside ${kind}`;
  if (kind === 'method') {
    if (typeof message['method'] !== 'string')
      return `method: expected a string, got ${shown(message['method'])}`;
    const { params } = message;
    return params === undefined || isJsonObject(params)
      ? null
      : `params: expected an object, got ${shown(params)}`;
  }
  const value = message[kind];
  if (!isJsonObject(value)) return `${kind}: expected an object, got ${shown(value)}`;
  if (kind === 'result') return null;
  if (!Number.isInteger(value['code'])) return `error.code: expected an integer, got ${shown(value['code'])}`;
  return typeof value['message'] === 'string'
    ? null
    : `error.message: expected a string, got ${shown(value['message'])}`;
}

/** In characters. */
const LONGEST = 60;

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null
    ? 'an object'
    : beginningOf(JSON.stringify(value), LONGEST);
}

/** Returns the definition to which a reference leads. */
type Resolve = (reference: string) => { schema: Definition; validate: ValidateFunction };

/** Describes the first error; of alternatives, that in the one which was meant. `above`: where the checked value is. */
function describe(errors: readonly ErrorObject[], resolve: Resolve, above = ''): string {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf');
  const error = errors.find((one) =>
    choices.every((choice) => one === choice || !isAt(choice.instancePath, one.instancePath)),
  );
  if (error === undefined) return 'does not fit the schema';
  const path = `${above}${error.instancePath}`;
  const references = (error.keyword === 'anyOf' ? (error.schema as { $ref?: string }[]) : []).flatMap(
    ({ $ref }) => $ref ?? [],
  );
  const meant = alternativeFor(error.data as Json, references, resolve);
  if (meant !== null) {
    meant.validate(error.data);
    return describe(meant.validate.errors ?? [], resolve, path);
  }
  return placed(placeOf(path, error), error);
}

const placed = (place: string, error: ErrorObject): string =>
  place === '' ? expected(error) : `${place}: ${expected(error)}`;

const isAt = (place: string, path: string): boolean => path === place || path.startsWith(`${place}/`);

/** The alternative that has the `type` or `method` of the value; without those, the one of which it has the most. */
function alternativeFor(
  value: Json,
  references: readonly string[],
  resolve: Resolve,
): ReturnType<Resolve> | null {
  if (!isJsonObject(value)) return null;
  const alternatives = references.map(resolve);
  const named = (each: ReturnType<Resolve>): Json | undefined =>
    each.schema.properties?.['type']?.const ?? each.schema.properties?.['method']?.const;
  if (alternatives.some((each) => named(each) !== undefined))
    return alternatives.find((each) => named(each) === (value['type'] ?? value['method'])) ?? null;
  const score = ({ schema }: ReturnType<Resolve>): number =>
    (schema.required ?? []).filter((key) => key in value).length;
  return [...alternatives].sort((x, y) => score(y) - score(x))[0] ?? null;
}

function placeOf(path: string, { keyword, params }: ErrorObject): string {
  const keys = path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const missing = keyword === 'required' ? [(params as { missingProperty: string }).missingProperty] : [];
  return [...keys, ...missing]
    .map((key, index) => (/^\d+$/.test(key) ? `[${key}]` : `${index === 0 ? '' : '.'}${key}`))
    .join('');
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function expected({ keyword, params, data, message }: ErrorObject): string {
  const given = params as Record<string, unknown>;
  switch (keyword) {
    case 'required':
      return 'missing';
    case 'type': {
      const types = [given['type']].flat().map((type) => NOUNS[String(type)] ?? String(type));
      return `expected ${types.join(' or ')}, got ${shown(data)}`;
    }
    case 'const':
      return `expected ${JSON.stringify(given['allowedValue'])}, got ${shown(data)}`;
    case 'enum':
      return `expected one of ${JSON.stringify(given['allowedValues'])}, got ${shown(data)}`;
    case 'format':
      return given['format'] === 'byte'
        ? 'expected base64'
        : `expected the format ${String(given['format'])}`;
    case 'anyOf':
      return 'expected one of the kinds that the protocol has';
    default:
      return message ?? keyword;
  }
}
