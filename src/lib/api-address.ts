const VERSION = /\/v\d\w*$/;
const trimmed = (address: string): string => address.replace(/\/+$/, '');

/**
 * The address of an API with its version, like `/v1`: some programs want it so, others add the version themselves, and
 * users give both forms.
 */
export function withVersion(address: string, version: string): string {
  const bare = trimmed(address);
  return VERSION.test(bare) ? bare : bare + version;
}

/** The same for programs that add the version themselves. */
export const withoutVersion = (address: string): string => trimmed(address).replace(VERSION, '');
