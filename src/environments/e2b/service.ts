import { pathToFileURL } from 'node:url';
import { findPackage, packageFile } from '#host';
import { beginningOf, ownValue } from '#lib';
import { MachineRefused } from '../machine/machine-refused.js';

/** The variable with the key of E2B, which every run in a sandbox of E2B needs. */
export const E2B_KEY = 'E2B_API_KEY';

/** Variables with addresses of an E2B that is not the public one. They are no secrets. */
export const E2B_ADDRESSES = ['E2B_API_URL', 'E2B_SANDBOX_URL'] as const;

/** All variables that runs in sandboxes of E2B use, as the package `e2b` names them. */
export const E2B_VARIABLES = [E2B_KEY, 'E2B_DOMAIN', ...E2B_ADDRESSES] as const;

const PUBLIC_DOMAIN = 'e2b.app';

/** Options of the package `e2b` that say which service to use, and with which key. */
export interface E2bOptions {
  apiKey: string;
  domain: string;
  apiUrl: string;
  sandboxUrl?: string;
  /** Its variable would make the package use a server on this machine instead of the service. */
  debug: false;
}

/** The same from the variables of a shell. */
export const optionsInShell = (env: NodeJS.ProcessEnv): E2bOptions =>
  optionsFrom(Object.fromEntries(E2B_VARIABLES.map((name) => [name, env[name] ?? ''])));

/** Returns the options that the values of the variables stand for. Empty values count as unset. */
export function optionsFrom(values: Readonly<Record<string, string>>): E2bOptions {
  const valueOf = (name: (typeof E2B_VARIABLES)[number]): string => ownValue(values, name) ?? '';
  const domain = valueOf('E2B_DOMAIN') || PUBLIC_DOMAIN;
  const sandboxUrl = valueOf('E2B_SANDBOX_URL');
  return {
    apiKey: valueOf(E2B_KEY),
    domain,
    apiUrl: valueOf('E2B_API_URL') || `https://api.${domain}`,
    ...(sandboxUrl === '' ? {} : { sandboxUrl }),
    debug: false,
  };
}

/** The package `e2b`, an optional peer dependency. */
export type E2b = typeof import('e2b');

/** The major version that this program knows. */
const MAJOR = '2';
const INSTALL = `npm install e2b@${MAJOR}`;

/**
 * Finds the package `e2b` from the given folders and from this program, without loading it. `folders` are the
 * project's; null where there is none.
 */
export function findE2b(
  folders: readonly (string | null)[],
): { module: string; why: null } | { module: null; why: string } {
  const found = findPackage('e2b', [...folders.filter((folder) => folder !== null), packageFile('.')]);
  if (found === null) return { module: null, why: `the package e2b is not installed; install it with ${INSTALL}` };
  if (found.version.split('.')[0] === MAJOR) return { module: found.module, why: null };
  return {
    module: null,
    why: `version ${found.version} of the package e2b is not supported; install another with ${INSTALL}`,
  };
}

/** Loads the package. Only runs in its sandboxes do. */
export const loadE2b = async (module: string): Promise<E2b> => (await import(pathToFileURL(module).href)) as E2b;

/** HTTP statuses of a request that is wrong by itself. */
const REFUSED = [400, 403, 404];
const MESSAGE_LENGTH = 300;

/** Returns an error that says what could not be done, and what to do about it. `what`: `create a sandbox`. */
export function explained(e2b: E2b, what: string, error: unknown): Error {
  const message = error instanceof Error ? messageOf(error) : String(error);
  if (error instanceof e2b.AuthenticationError)
    return new MachineRefused(
      `E2B refuses the key in ${E2B_KEY}: ${message}; set a valid key from https://e2b.dev/dashboard?tab=keys`,
    );
  const text = `cannot ${what}: ${message}`;
  const status = error instanceof e2b.SandboxError ? error.statusCode : undefined;
  return status !== undefined && REFUSED.includes(status) ? new MachineRefused(text) : new Error(text);
}

/** The reason of a failed request is in its cause. */
function messageOf({ message, cause }: Error): string {
  const reason = cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
  return beginningOf(reason.replaceAll(/\s+/g, ' ').trim(), MESSAGE_LENGTH);
}

const TRY_MS = 15_000;

/**
 * Asks E2B for the first sandbox of the account, which costs nothing. Returns why that fails, and whether it would fail
 * again; null if E2B answers.
 */
export async function tryE2b(module: string, options: E2bOptions): Promise<{ why: string; isFinal: boolean } | null> {
  const e2b = await loadE2b(module);
  try {
    await e2b.Sandbox.list({ ...options, limit: 1, requestTimeoutMs: TRY_MS }).nextItems();
    return null;
  } catch (error) {
    const reason = explained(e2b, `reach E2B at ${options.apiUrl}`, error);
    return { why: reason.message, isFinal: reason instanceof MachineRefused };
  }
}
