/**
 * A place that several hosts and commands share: a folder or an S3-compatible bucket. It holds objects, named by
 * relative paths with `/`. No operation needs a lock, an append or the clock of another host. An operation that cannot
 * reach the place rejects within minutes, and can be repeated.
 */
export interface SharedStore {
  /** The place as the user gave it, for messages: the path of the folder, or `s3://bucket/prefix`. */
  location: string;
  /** Returns the contents of an object; null if there is none. */
  get: (name: string) => Promise<Buffer | null>;
  /** Returns when an object was written, by the clock of the place, in ms since the epoch; null if there is none. */
  writtenAt: (name: string) => Promise<number | null>;
  /** Writes an object, and replaces an earlier one. For objects that only one host writes. */
  put: (name: string, data: string | Uint8Array) => Promise<void>;
  /**
   * Creates an object. Returns false, and changes nothing, if it exists with other contents. Of several hosts that
   * create the same object with different contents, exactly one succeeds.
   */
  putOnce: (name: string, data: string | Uint8Array) => Promise<boolean>;
  /** Returns the names of the objects directly in a folder, without the folder, sorted. Not those of stored folders. */
  list: (folder: string) => Promise<string[]>;
  /** Removes an object or a stored folder; does nothing if there is none. */
  remove: (name: string) => Promise<void>;
  /**
   * Stores a folder with modes and symlinks. Until it is complete, `getFolder` does not find it. Replaces nothing: if
   * the name exists, it has been stored already, and the call does nothing.
   */
  putFolder: (name: string, folder: string) => Promise<void>;
  /** Copies a stored folder to a local path that does not exist yet, all at once. Returns false if it is not stored. */
  getFolder: (name: string, folder: string) => Promise<boolean>;
  /** Returns the contents of one file of a stored folder, without copying the folder; null if there is none. */
  getFileOf: (name: string, path: string) => Promise<Buffer | null>;
}
