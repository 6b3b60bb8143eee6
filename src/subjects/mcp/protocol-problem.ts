import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import type { z } from 'zod';
import { beginningOf, isJsonObject, type Json, ownValue } from '#lib';
import { createRevisions } from './revisions.js';

const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

const metaOf = (params: Json | undefined): { [key: string]: Json } => {
  const meta = isJsonObject(params) ? params['_meta'] : undefined;
  return isJsonObject(meta) ? meta : {};
};

/** The version of the protocol that a request itself names, as all do since 2026-07-28; null if it names none. */
export function versionNamedIn(params: Json | undefined): string | null {
  const version = metaOf(params)[PROTOCOL_VERSION];
  return typeof version === 'string' ? version : null;
}

/** True if a request says that the client knows extensions of the protocol, whose results are of types of their own. */
export function namesExtensions(params: Json | undefined): boolean {
  const capabilities = metaOf(params)[CAPABILITIES];
  return isJsonObject(capabilities) && isJsonObject(capabilities['extensions']);
}

/**
 * Finds what a client refuses of what a server sends. Each function returns the place and what was expected there, or
 * null; null for versions of the protocol whose schemas are not known.
 */
export interface ProtocolChecks {
  result(version: string, method: string, result: Json): string | null;
  /** Checks a request or notification of the server. Methods that are not of the protocol are not checked. */
  sent(version: string, message: { [key: string]: Json }): string | null;
  /** Checks the structured content of a result by the schema that the tool declares for it. */
  output(result: { [key: string]: Json }, outputSchema: { [key: string]: Json }): string | null;
}

/** Creates the checks. */
export function createProtocolChecks(): ProtocolChecks {
  const require = createRequire(import.meta.url);
  const revisionOf = createRevisions();
  const problemBy = (schema: z.ZodType | undefined, value: Json): string | null => {
    const error = schema?.safeParse(value, { reportInput: true }).error;
    return error === undefined ? null : describe(error.issues, []);
  };

  return {
    result: (version, method, result) => problemBy(revisionOf(version)?.result(method, result), result),
    sent(version, message) {
      const revision = revisionOf(version);
      const { method } = message;
      if (revision === null || typeof method !== 'string') return null;
      if (!('id' in message)) return problemBy(revision.notification(method), message);
      return revision.request === null
        ? `servers make no requests in ${version}; they answer with the type input_required`
        : problemBy(revision.request(method), message);
    },
    output(result, outputSchema) {
      const content = result['structuredContent'];
      if (content === undefined)
        return result['isError'] === true ? null : 'structuredContent: missing, though the tool has an outputSchema';
      try {
        const { Ajv2020: Ajv } = require('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 };
        const ajv = new Ajv({ verbose: true, strict: false, logger: false, validateFormats: false });
        const validate = ajv.compile(outputSchema);
        if (validate(content)) return null;
        const [first] = validate.errors ?? [];
        const what = first === undefined ? '' : `: ${ofSchema(first)}`;
        return `structuredContent does not fit the outputSchema of the tool${what}`;
      } catch {
        return null; // Clients use several libraries, which need not know the same schemas.
      }
    },
  };
}

const KEYS: Readonly<Record<string, readonly string[]>> = {
  result: ['jsonrpc', 'id', 'result'],
  error: ['jsonrpc', 'id', 'error'],
  method: ['jsonrpc', 'id', 'method', 'params'],
};

/**
 * Returns why a message is none of JSON-RPC, apart from its contents; null if it is one. Clients refuse other keys,
 * too.
 */
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
    if (typeof message['method'] !== 'string') return `method: expected a string, got ${shown(message['method'])}`;
    const { params } = message;
    return params === undefined || isJsonObject(params) ? null : `params: expected an object, got ${shown(params)}`;
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
  return typeof value === 'object' && value !== null ? 'an object' : beginningOf(JSON.stringify(value), LONGEST);
}

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

/**
 * Describes the first problem; of alternatives, that in the one which was meant. `above`: where the checked value is.
 */
function describe([issue]: readonly Issue[], above: Path): string {
  if (issue === undefined) return 'does not fit the schema';
  const path = [...above, ...issue.path];
  const meant = issue.code === 'invalid_union' ? meantOf(issue.errors) : null;
  return meant === null ? placed(path, expected(issue)) : describe(meant, path);
}

/** Returns the problems with the alternative whose `type` or `method` the value has; null if there is none. */
const meantOf = (alternatives: readonly Issue[][]): Issue[] | null =>
  [...alternatives]
    .filter((issues) => !issues.some(({ path: [key] }) => key === 'type' || key === 'method'))
    .sort((a, b) => a.length - b.length)[0] ?? null;

const placed = (path: Path, text: string): string => (path.length === 0 ? text : `${placeOf(path)}: ${text}`);

const placeOf = (path: Path): string =>
  path.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`)).join('');

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  integer: 'an integer',
  boolean: 'a boolean',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};
const nounOf = (type: string): string => ownValue(NOUNS, type) ?? type;

function expected(issue: Issue): string {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) return 'missing';
  if (issue.code === 'invalid_type') return `expected ${nounOf(issue.expected)}, got ${shown(issue.input)}`;
  if (issue.code === 'invalid_value') {
    const [first, ...others] = issue.values;
    const values = others.length === 0 ? JSON.stringify(first) : `one of ${JSON.stringify(issue.values)}`;
    return `expected ${values}, got ${shown(issue.input)}`;
  }
  if (issue.code === 'invalid_union') return 'expected one of the kinds that the protocol has';
  return /base64/i.test(issue.message) ? 'expected base64' : issue.message;
}

/** Describes where a value does not fit a JSON schema. */
function ofSchema({ instancePath, keyword, params, data, message }: ErrorObject): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  const given = params as Record<string, unknown>;
  switch (keyword) {
    case 'required':
      return placed([...path, String(given['missingProperty'])], 'missing');
    case 'type':
      return placed(
        path,
        `expected ${[given['type']].flat().map(String).map(nounOf).join(' or ')}, got ${shown(data)}`,
      );
    default:
      return placed(path, message ?? keyword);
  }
}
