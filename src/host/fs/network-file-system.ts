import { statfs } from 'node:fs/promises';

/** By the numbers that Linux gives file systems. */
const NETWORK: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xff534d42: 'CIFS',
  0xfe534d42: 'SMB',
};

/** Returns which network file system an existing folder is on; null if it is on none, or on one that cannot be told. */
export async function networkFileSystem(folder: string): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  return NETWORK[(await statfs(folder)).type >>> 0] ?? null;
}
