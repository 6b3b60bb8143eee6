import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 300;

/**
 * Answers with a line of JSON for each value, until there are no more or the client is gone. Values are only asked for
 * as fast as the client reads them.
 */
export function ndjson(values: (signal: AbortSignal) => AsyncGenerator<object, void>): Response {
  const gone = new AbortController();
  const source = values(gone.signal);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await source.next();
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`));
      } catch (error) {
        if (!gone.signal.aborted) controller.error(error);
      }
    },
    cancel() {
      gone.abort();
    },
  });
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } });
}

/** Waits until it is time to look again. Returns false if the client is gone. */
export async function nextPoll(signal: AbortSignal, ms = LOOK_MS): Promise<boolean> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

/**
 * Yields what `read` returns, now and whenever it has changed. `stamp` is a text that changes with the files that are
 * read: as long as it is the same, they are not read again.
 */
export async function* whenChanged<T extends object>(
  stamp: () => string | Promise<string>,
  read: () => Promise<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  let [stamped, sent] = ['', ''];
  do {
    const now = await stamp();
    if (now === stamped) continue;
    stamped = now;
    const value = await read();
    const text = JSON.stringify(value);
    if (text === sent) continue;
    sent = text;
    yield value;
  } while (await nextPoll(signal));
}
