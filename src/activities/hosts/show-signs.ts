import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '#lib';
import { drainObject, hostObject, removeGoneHosts, type SharedStore } from '#store';
import { type Host, hostRecord } from './host.js';

interface Signs {
  store: SharedStore;
  host: Host;
  /** True if this host has runs, also if they have given up their slot. */
  hasRuns: () => Promise<boolean>;
  everyMs: number;
  /**
   * True if the Temporal server answers. A host that cannot reach it shows no sign of life, because its runs cannot
   * continue.
   */
  reachesServer: () => Promise<boolean>;
  /** Called when someone has ordered this host to drain, or has taken that back. */
  onDrain: (drain: boolean) => void;
  onShown: () => void;
  warn: (line: string) => void;
}

/**
 * Shows signs of life of this host until the signal aborts. Then removes its record, unless it has runs, which the next
 * worker of this host continues. An order to drain stays until it is taken back.
 */
export async function showSigns(
  { store, host, hasRuns, everyMs, reachesServer, onDrain, onShown, warn }: Signs,
  signal: AbortSignal,
): Promise<void> {
  let sign = 0;
  let isFirst = true;
  let problem: string | null = null;
  const report = (now: string | null): void => {
    if (now !== null && now !== problem) warn(`cannot show a sign of life: ${now}`);
    problem = now;
  };
  while (!signal.aborted) {
    try {
      if (await reachesServer()) {
        onDrain((await store.get(drainObject(host.id))) !== null);
        sign = Math.max(Date.now(), sign + 1);
        await store.put(hostObject(host.id), `${JSON.stringify(hostRecord(host, sign))}\n`);
        onShown();
        if (isFirst) await removeGoneHosts(store);
        isFirst = false;
        report(null);
      } else report('the Temporal server does not answer');
    } catch (error) {
      report(messageOf(error));
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
  if (!(await hasRuns())) await store.remove(hostObject(host.id)).catch(() => undefined);
}
