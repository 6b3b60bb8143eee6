import { createHash } from 'node:crypto';

/** Hexadecimal SHA-256 of a text or bytes. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
