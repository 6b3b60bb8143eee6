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
