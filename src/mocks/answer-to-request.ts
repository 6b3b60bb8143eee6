import { contains, isJsonObject, type Json } from '#lib';
import type { Call } from './call.js';
import { chanceMessage, chooseMock, type AnswerOptions, type MockChoice } from './choose-mock.js';
import { parseEndpoint, pathValues } from './endpoint.js';
import type { EndpointMock } from './endpoint-mock.js';
import type { Mock } from './mock.js';
import { isEndpointMock } from './mock-kinds.js';
import { fillJson } from './template.js';

/** A request of a mocked endpoint. */
export interface EndpointRequest {
  method: string;
  /** The path as it was sent: percent-encoded, without a query. */
  path: string;
  /** A parameter that is repeated has a list of values. */
  query: { readonly [name: string]: string | string[] };
  /** Names in lower case. */
  headers: { readonly [name: string]: string };
  /** JSON, or the text if it is none. */
  body: Json;
  context: { step: string; agent: string; scenario: string };
}

export interface EndpointResult {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** Decides how a request is answered. */
export const answerToRequest = (
  mocks: readonly Mock[],
  request: EndpointRequest,
  options: AnswerOptions,
): MockChoice<EndpointResult> =>
  chooseMock(
    mocks.flatMap((mock, index) => {
      const call = isEndpointMock(mock) ? callOf(mock, request) : null;
      return isEndpointMock(mock) && call !== null ? [{ index, mock, call }] : [];
    }),
    { ...options, matchesInput },
    ({ mock, call }, byChance) => (byChance ? failure(mock) : resultOf(mock, call)),
  );

/** An answer in plain text. */
export const plainAnswer = (status: number, text: string): EndpointResult => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: `${text}\n`,
});

/** The request as a call of the mock's endpoint; null if it is of another one. */
function callOf(mock: EndpointMock, request: EndpointRequest): Call | null {
  const parsed = parseEndpoint(mock.endpoint);
  const path = parsed.ok ? pathValues(parsed.endpoint, request.method, request.path) : null;
  if (path === null) return null;
  const { query, headers, body, context } = request;
  return {
    args: Object.values(path),
    input: { path, query: { ...query }, headers: { ...headers }, body },
    context,
  };
}

const matchesInput = (given: Json, wanted: Json): boolean =>
  contains(
    given,
    isJsonObject(wanted) && isJsonObject(wanted['headers'])
      ? { ...wanted, headers: withLowerCaseNames(wanted['headers']) }
      : wanted,
  );

const withLowerCaseNames = <T>(headers: { readonly [name: string]: T }): Record<string, T> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const failure = ({ endpoint, metadata: { probability } }: EndpointMock): EndpointResult =>
  plainAnswer(503, `${endpoint}: ${chanceMessage(probability)}`);

function resultOf({ error, response, status, headers }: EndpointMock, call: Call): EndpointResult {
  if (error !== undefined) return plainAnswer(error.status, `${error.code}: ${error.message}`);
  const own = withLowerCaseNames(headers);
  if (response === undefined) return { status, headers: own, body: '' };
  const filled = fillJson(response, call);
  return typeof filled === 'string'
    ? { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...own }, body: filled }
    : { status, headers: { 'content-type': 'application/json', ...own }, body: JSON.stringify(filled) };
}
