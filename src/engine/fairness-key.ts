import { sha256 } from '#lib';

/** In bytes; the server refuses longer ones. */
const LONGEST = 64;

/** Returns the key of an owner, by which a server gives each owner the same share of its hosts. */
export const fairnessKey = (owner: string): string =>
  Buffer.byteLength(owner) <= LONGEST ? owner : sha256(owner).slice(0, LONGEST);
