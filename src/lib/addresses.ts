/** True if a host name or an IP address refers to the machine that uses it. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|.*\.localhost|127(\.\d{1,3}){1,3}|\[?::1\]?|0\.0\.0\.0)$/i.test(host);

const PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'postgres:': 5432,
  'postgresql:': 5432,
};

/** Returns the port of an address of HTTP or PostgreSQL on loopback; nothing for any other text. */
export function loopbackPorts(address: string | null): number[] {
  if (address === null || !/^(https?|postgres(ql)?):\/\//i.test(address) || !URL.canParse(address)) return [];
  const { hostname, port, protocol } = new URL(address);
  if (!isLoopback(hostname)) return [];
  return port === '' ? [PORTS[protocol] ?? []].flat() : [Number(port)];
}

/** Returns the addresses of the name servers in the text of a resolv.conf. */
export const nameServers = (text: string): string[] =>
  text.split('\n').flatMap((line) => /^\s*nameserver\s+(\S+)/.exec(line)?.[1] ?? []);

/** Matches the last part of a path, but never a host. */
const VERSION = /(?<!\/)\/v\d\w*$/;

const trimmed = (address: string): string => address.replace(/\/+$/, '');

/**
 * Returns the address of an API with its version, like `/v1`. Some programs need it, others add the version themselves,
 * and users write both forms.
 */
export function withVersion(address: string, version: string): string {
  const bare = trimmed(address);
  return VERSION.test(bare) ? bare : bare + version;
}

/** Returns the address without the version, for programs that add it themselves. */
export const withoutVersion = (address: string): string => trimmed(address).replace(VERSION, '');
