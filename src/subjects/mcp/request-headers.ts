import { isJsonObject, type Json, ownValue } from '#lib';
import { versionNamedIn } from './protocol-problem.js';

/** The place of an argument that a client must repeat in a header, and the name of that header. */
export interface HeaderOfArgument {
  header: string;
  path: string[];
}

/** The methods whose requests name a thing in `Mcp-Name`, and where they have it. */
const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/**
 * The headers that a message must have over HTTP since 2026-07-28: they repeat a part of it. Empty for messages of
 * earlier revisions, which name no version. `ofTool`: what the called tool wants in headers.
 */
export function requestHeaders(
  message: { [key: string]: Json },
  ofTool: readonly HeaderOfArgument[] = [],
): Record<string, string> {
  const { method, params } = message;
  const version = versionNamedIn(params);
  if (version === null || typeof method !== 'string' || !isJsonObject(params)) return {};
  const name = ownValue(NAMES, method);
  const named = name === undefined ? undefined : params[name];
  const ofArguments = ofTool.flatMap(({ header, path }) => {
    const value = path.reduce<Json | undefined>(
      (at, key) => (isJsonObject(at) ? ownValue(at, key) : undefined),
      params['arguments'],
    );
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isPlain ? [[`mcp-param-${header}`, headerValue(String(value))] as const] : [];
  });
  return {
    'mcp-protocol-version': version,
    'mcp-method': headerValue(method),
    ...(typeof named === 'string' ? { 'mcp-name': headerValue(named) } : {}),
    ...Object.fromEntries(ofArguments),
  };
}

/** Encodes what a header cannot have as it is. */
function headerValue(text: string): string {
  const isPlain = /^[\t\x20-\x7e]*$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

interface Declaration {
  header: Json;
  type: Json | undefined;
  path: string[];
}

function declarations(inputSchema: Json | undefined, path: string[] = []): Declaration[] {
  const properties = isJsonObject(inputSchema) ? inputSchema['properties'] : undefined;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([key, property]) => {
    const at = [...path, key];
    const header = isJsonObject(property) ? property['x-mcp-header'] : undefined;
    const own = isJsonObject(property) && header !== undefined ? [{ header, type: property['type'], path: at }] : [];
    return [...own, ...declarations(property, at)];
  });
}

const isName = (header: Json): header is string => typeof header === 'string' && TOKEN.test(header);

/** The arguments that the definition of a tool wants in headers. */
export const headersOfTool = (inputSchema: Json | undefined): HeaderOfArgument[] =>
  declarations(inputSchema).flatMap(({ header, path }) => (isName(header) ? [{ header, path }] : []));

/** Returns why clients over HTTP leave out a tool that wants arguments in headers; null if they do not. */
export function headerProblem(inputSchema: Json | undefined): string | null {
  const seen = new Set<string>();
  for (const { header, type, path } of declarations(inputSchema)) {
    const place = `${path.join('.')}: x-mcp-header`;
    if (!isName(header)) return `${place}: expected the name of a header`;
    if (type !== 'string' && type !== 'integer' && type !== 'boolean')
      return `${place}: only a string, an integer or a boolean can be in a header`;
    if (seen.has(header.toLowerCase())) return `${place}: another argument wants the header ${header}, too`;
    seen.add(header.toLowerCase());
  }
  return null;
}
