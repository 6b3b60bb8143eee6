/** What is looked at once a second, for every agent that this worker follows. */
const looks = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls `look` once a second until the function given back is called. One timer serves all: with a timer each, a worker
 * wakes up for every agent at another moment. `look` must not throw.
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
