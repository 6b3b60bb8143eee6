import { suggest } from '#lib';

/** A method and a path, as in `GET /users/{id}`. */
export interface Endpoint {
  method: string;
  /** A text must be the same; null stands for any value. */
  segments: readonly (string | null)[];
  /** The names of the values, in the order of the path. */
  names: readonly string[];
}

export type ParsedEndpoint = { ok: true; endpoint: Endpoint } | { ok: false; message: string };

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const EXPECTED = 'expected a method and a path, like GET /users/{id}';

const SEGMENT = /^[\w.~!$&'()*+,;=:@ %-]+$/;
const VALUE = /^\{([A-Za-z_]\w*)\}$/;

/** Reads a text such as `GET /users/{id}`. */
export function parseEndpoint(text: string): ParsedEndpoint {
  const [method = '', path, ...rest] = text.split(' ');
  if (path?.startsWith('/') !== true || rest.length > 0) return refused(EXPECTED);
  if (!METHODS.includes(method)) {
    const near = suggest(method, METHODS);
    return refused(
      `unknown method '${method}'; ${near === null ? `known: ${METHODS.join(', ')}` : `did you mean '${near}'?`}`,
    );
  }
  if (/[?#]/.test(path)) return refused(`${EXPECTED}; write what follows ? into when.input.query`);
  const written = path.slice(1).split('/');
  const segments: (string | null)[] = [];
  const names: string[] = [];
  for (const segment of written) {
    const name = VALUE.exec(segment)?.[1];
    const decoded = decode(segment);
    if (name !== undefined) {
      if (names.includes(name)) return refused(`{${name}} is twice in the path`);
      names.push(name);
    } else if (segment === '..' || segment === '.') {
      return refused(`${EXPECTED}; clients never send the part ${segment}`);
    } else if (decoded === null || (segment !== '' && !SEGMENT.test(segment))) {
      return refused(`${EXPECTED}; the part '${segment}' is neither {name} nor plain text`);
    }
    segments.push(name === undefined ? decoded : null);
  }
  return { ok: true, endpoint: { method, segments, names } };
}

/** The values in the path of a request, by name; null if the endpoint is another one, or the path is malformed. */
export function pathValues(endpoint: Endpoint, method: string, path: string): Record<string, string> | null {
  const given = path.slice(1).split('/').map(decode);
  if (endpoint.method !== method || given.length !== endpoint.segments.length) return null;
  const values: string[] = [];
  for (const [at, wanted] of endpoint.segments.entries()) {
    const value = given[at] ?? null;
    if (value === null || (wanted === null ? value === '' : value !== wanted)) return null;
    if (wanted === null) values.push(value);
  }
  return Object.fromEntries(endpoint.names.map((name, at) => [name, values[at] ?? '']));
}

const refused = (message: string): ParsedEndpoint => ({ ok: false, message });

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
