import { ownValue } from '#lib';

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
