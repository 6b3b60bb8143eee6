/** Functions to call once a second, for all agents that this worker follows. */
const looks = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls `look` once a second until the returned function is called. All callers share one timer: with a timer for each,
 * a worker would wake up for every agent at a different moment. `look` must not throw.
 */
export function everySecond(look: () => void): () => void {
  looks.add(look);
  timer ??= setInterval(() => {
    for (const each of [...looks]) each();
  }, 1000);
  return () => {
    looks.delete(look);
    if (looks.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
