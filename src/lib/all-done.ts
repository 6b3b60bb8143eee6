/** Waits until all work is done, also if some of it fails; then throws the first failure. */
export async function allDone(work: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(work);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
