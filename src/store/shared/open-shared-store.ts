import { createFolderStore } from './folder-store.js';
import type { SharedStore } from './shared-store.js';

/** True for the location of a bucket, `s3://bucket/prefix`. Any other location is the path of a folder. */
export const isBucket = (location: string): boolean => /^s3:\/\//i.test(location);

/** Opens the shared place at a location. Does not reach for it yet. */
// eslint-disable-next-line @typescript-eslint/require-await -- the driver for buckets is loaded when it is needed
export async function openSharedStore(location: string): Promise<SharedStore> {
  if (isBucket(location)) throw new Error('buckets are not supported yet');
  return createFolderStore(location);
}
