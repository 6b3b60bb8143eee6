/** Read once: the only way to read it is to set it for a moment, in which another thread could make a file. */
const umask = process.umask(0o077);
process.umask(umask);

/** A mode as the user's umask would have it, and never with what lets others write or act as the user. */
export const publicMode = (mode: number): number => mode & 0o755 & ~umask;
