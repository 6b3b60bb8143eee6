import { createHash } from 'node:crypto';

/** Returns the SHA-256 of a text or bytes, in hex. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
