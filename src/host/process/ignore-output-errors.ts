/**
 * Keeps a process running while the disk of its log is full. What it prints then is lost. Without this, Node throws the
 * error at whatever prints, including the logger of the Temporal SDK, where nothing can catch it.
 */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (...args: unknown[]): boolean => {
      try {
        return write(...args);
      } catch {
        return true;
      }
    };
    stream.on('error', () => undefined);
  }
}
