import { createFolderStore } from './folder-store.js';
import type { SharedStore } from './shared-store.js';

/** True for the location of a bucket, `s3://bucket/prefix`. Any other location is the path of a folder. */
export const isBucket = (location: string): boolean => /^s3:\/\//i.test(location);

/**
 * Opens the shared place at a location: a folder, or a bucket. Does not reach for it yet.
 *
 * @throws UsageError if the location is not one, or the package for buckets is missing in `folder` and here
 */
export async function openSharedStore(location: string, folder = process.cwd()): Promise<SharedStore> {
  if (!isBucket(location)) return createFolderStore(location);
  // Loaded only if needed, because it takes as long as a whole command that reads results.
  const { createS3Store } = await import('./s3/s3-store.js');
  return createS3Store(location, folder);
}
