/**
 * Lets a process live on whose log is on a full disk: what it prints is lost then. Node throws such an error at whoever
 * prints, in the Temporal SDK's logger too, where nobody could catch it.
 */
export function forgiveOutput(): void {
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
