// Shared by all agent scripts: arguments, settings, and the format of the answer (specs/reference/agent-scripts.md).
import { parseArgs } from 'node:util';

interface Kinds {
  string: string;
  number: number;
  boolean: boolean;
}
type Kind = keyof Kinds;
type ValueOf<K> = K extends Kind ? Kinds[K] : never;

/** Arguments as the usage shows them, `<required>`, `[optional]` or `--flag`, with the types of their values. */
export type Specification = Record<`<${string}>` | `[${string}]` | `--${string}`, Kind>;

/** The values of the specified arguments, by their names without brackets and dashes. */
export type Arguments<S> = {
  [K in keyof S as K extends `<${infer Name}>` ? Name : never]: ValueOf<S[K]>;
} & { [K in keyof S as K extends `[${infer Name}]` | `--${infer Name}` ? Name : never]?: ValueOf<S[K]> };

class ScriptError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Ends the script with an error. Pass the code as a literal, so that it can be compared with the README. */
export function fail(code: string, message: string): never {
  throw new ScriptError(code, message);
}

/**
 * Runs a script: prints `{success: true, data}` with the result of `run`, or `{success: false, error, code}` if it throws,
 * and exits with 0 or 1. Returns at once, not a promise: a script whose promise never settles then ends with an error.
 */
export function main<S extends Specification>(specification: S, run: (values: Arguments<S>) => unknown): void {
  const exit = Deno.exit;
  const answer = (document: string, code: 0 | 1): never => {
    write(document + '\n');
    return exit(code);
  };
  const answerError = (error: unknown): never => {
    if (codeOf(error) === 'INTERNAL_ERROR') console.error(error);
    return answer(JSON.stringify({ success: false, error: messageOf(error), code: codeOf(error) }), 1);
  };
  const perform = async (): Promise<string> => {
    const values = parseArguments(specification, Deno.args);
    const data = values === null ? helpOf(specification) : await run(values);
    return JSON.stringify({ success: true, data: data ?? null });
  };
  keepForAnswer();
  addEventListener('error', (event) => answerError(event.error));
  addEventListener('unhandledrejection', (event) => answerError(event.reason));
  addEventListener('beforeunload', () => answerError(new Error('the script ended without an answer')));
  perform().then((document) => answer(document, 0), answerError);
}

/** Redirects console output to stderr and disables Deno.exit, so that only the answer is printed and ends the process. */
function keepForAnswer(): void {
  const printing = ['log', 'debug', 'info', 'dir', 'dirxml', 'table', 'count', 'group', 'groupCollapsed'];
  for (const name of [...printing, 'timeLog', 'timeEnd', 'clear']) {
    Object.assign(console, { [name]: console.error });
  }
  Deno.exit = () => {
    throw new Error('a script returns its data or calls fail, and does not call Deno.exit');
  };
}

// A pipe takes up to this many bytes whole or not at all. A non-blocking pipe may take only a part of a longer text, and Deno
// does not say how much.
const PIPE_BYTES = 4096;

function write(text: string): void {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(Deno.stdout.writeSync(bytes.subarray(0, PIPE_BYTES)));
    } catch (error) {
      // The reader has closed the pipe and does not want the answer.
      if (!(error instanceof Deno.errors.WouldBlock)) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function codeOf(error: unknown): string {
  if (error instanceof ScriptError) return error.code;
  return error instanceof Deno.errors.NotCapable ? 'PERMISSION_DENIED' : 'INTERNAL_ERROR';
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : Deno.inspect(error));

const helpOf = (specification: Specification): object => ({
  arguments: Object.entries(specification).map(([name, kind]) => ({ name, kind })),
  readme: decodeURIComponent(new URL('README.md', Deno.mainModule).pathname),
});

/**
 * Parses `--name value`, `--name=value` and positional words; after `--` all are words. Returns null for `--help`.
 * Required arguments take words before optional ones do: for `[dir] <number>`, a single word is the number.
 */
function parseArguments<S extends Specification>(specification: S, args: string[]): Arguments<S> | null {
  const { flags, words } = split(specification, args);
  if (flags.has('--help')) return null;
  const places = Object.keys(specification).filter((name) => !name.startsWith('--'));
  const required = places.filter((name) => name.startsWith('<'));
  if (words.length < required.length) {
    fail('MISSING_ARGUMENT', `${required.at(words.length - required.length)} is missing`);
  }
  if (words.length > places.length) {
    fail('INVALID_ARGUMENT', `"${words[places.length]}" is one argument too many`);
  }
  let spare = words.length - required.length;
  const filled = places.filter((name) => name.startsWith('<') || spare-- > 0);
  const given = [...filled.map((name, at) => [name, words[at]] as const), ...flags];
  const values = given.map(([name, value]) => [
    name.replace(/^--|[<>[\]]/g, ''),
    valueOf(name, (specification as Specification)[name as '--name'], value),
  ]);
  return Object.fromEntries(values) as Arguments<S>;
}

function split(specification: Specification, args: string[]) {
  const options = Object.entries(specification).flatMap(([name, kind]) =>
    name.startsWith('--') ? [[name.slice(2), { type: kind === 'boolean' ? kind : 'string' }]] : [],
  );
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { help: { type: 'boolean' }, ...Object.fromEntries(options) },
      allowPositionals: true,
    });
    return {
      flags: new Map(Object.entries(values).map(([name, value]) => [`--${name}`, value])),
      words: positionals,
    };
  } catch (error) {
    return fail('INVALID_ARGUMENT', messageOf(error));
  }
}

function valueOf(name: string, kind: Kind, value: unknown): unknown {
  if (String(value).trim() === '') fail('INVALID_ARGUMENT', `${name} is blank`);
  if (kind !== 'number') return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : fail('INVALID_ARGUMENT', `${name} is no number: "${value}"`);
}

/** Returns a script's settings from `.agents/config.json`, checked by type. Needs `--allow-read=.agents/config.json`. */
export function settings<const K extends Record<string, Kind>>(
  script: string,
  kinds: K,
): { [Name in keyof K]?: ValueOf<K[Name]> } {
  const all = readConfig();
  const own = isRecord(all) ? (all[script] ?? {}) : null;
  if (!isRecord(own)) return fail('INVALID_CONFIG', `.agents/config.json: no object for "${script}"`);
  for (const [name, value] of Object.entries(own)) {
    if (Object.hasOwn(kinds, name) && typeof value === kinds[name]) continue;
    const wanted = JSON.stringify(kinds);
    fail('INVALID_CONFIG', `.agents/config.json: "${script}" has a wrong "${name}", it takes ${wanted}`);
  }
  return own as { [Name in keyof K]?: ValueOf<K[Name]> };
}

function readConfig(): unknown {
  try {
    return JSON.parse(Deno.readTextFileSync(new URL('../config.json', import.meta.url)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    if (error instanceof SyntaxError) return fail('INVALID_CONFIG', `.agents/config.json: ${error.message}`);
    throw error;
  }
}

/** True if a value from outside is an object (not null, not an array). */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
