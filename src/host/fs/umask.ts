/** Read once. The only way to read it is to set it for a moment, in which another thread could create a file. */
const umask = process.umask(0o077);
process.umask(umask);

/** Applies the user's umask to a mode, and removes what lets others write, or act as the owner. */
export const publicMode = (mode: number): number => mode & 0o755 & ~umask;
