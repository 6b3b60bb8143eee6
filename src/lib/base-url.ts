/** The last part of a path, never a host. */
const VERSION = /(?<!\/)\/v\d\w*$/;

const trimmed = (address: string): string => address.replace(/\/+$/, '');

/** Address of an API for a client that wants its version in it. Users write it either way. */
export function versionedUrl(address: string, version: string): string {
  const url = trimmed(address);
  return VERSION.test(url) ? url : url + version;
}

/** The same for a client that adds the version itself. */
export const unversionedUrl = (address: string): string => trimmed(address).replace(VERSION, '');
