import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { HostSettings, Metrics } from '#engine';
import { publishOnce, readTextIfThere } from '#host';
import { isJsonObject, parseJson } from '#lib';
import { beatMs, lostSecsOf, hostQueueOf, placeQueueOf } from '#protocol';
import { requireSharedProject, type SharedStore } from '#store';
import { createOffers, type Host } from './host.js';
import { makeCurrent } from './host-workers.js';
import { showSigns } from './show-signs.js';
import { openRuns } from '../step/open-runs.js';
import { createSlots } from './slots.js';

/** The role of this process as a host of shared results. */
export interface Hosting {
  host: Host;
  /** Where the results are shared. */
  store: SharedStore;
  /** Begins to show signs of life. Call it once the workers are polling. */
  begin: (client: Client, metrics?: Metrics) => { end: () => Promise<void> };
}

interface HostingOptions extends HostSettings {
  resultsPath: string;
  stateFolder: string;
  /** The queue of the shared project. */
  taskQueue: string;
  /** See `Deps.server`. */
  server: string;
}

const { TaskQueueType } = proto.temporal.api.enums.v1;
const ANSWER_MS = 5000;

export async function createHosting(options: HostingOptions): Promise<Hosting> {
  const { resultsPath, stateFolder, taskQueue, server, name, labels, agents } = options;
  const { store } = await requireSharedProject(resultsPath);
  const id = await hostId(stateFolder);
  const slots = createSlots(stateFolder, options.slots);
  let draining = false;
  const host: Host = {
    id,
    name,
    labels,
    agents,
    slots,
    identity: `${name}.${id}`,
    queue: hostQueueOf(taskQueue, id),
    offers: createOffers(),
    isDraining: () => draining,
  };
  return {
    host,
    store,
    begin: (client, metrics) => {
      const ending = new AbortController();
      const warn = (line: string): void => console.error(line);
      const shown = showSigns(
        {
          store,
          host,
          hasRuns: async () => slots.taken().size > 0 || (await openRuns({ stateFolder, server })).length > 0,
          everyMs: beatMs(lostSecsOf(process.env)),
          reachesServer: () =>
            client
              .withDeadline(Date.now() + ANSWER_MS, () => client.workflowService.getSystemInfo({}))
              .then(
                () => true,
                () => false,
              ),
          onDrain: (drain) => {
            if (drain !== draining) warn(drain ? 'draining: this host takes no new runs' : 'taking runs again');
            draining = drain;
            slots.close(drain);
          },
          onShown: () => {
            if (metrics === undefined) return;
            metrics.slots(slots.total, slots.free(), slots.taken().values());
            cellsWaiting(client, taskQueue).then(metrics.cellsWaiting, () => undefined);
          },
          warn,
        },
        ending.signal,
      );
      void makeCurrent(client, taskQueue, ending.signal, warn);
      return {
        end: async () => {
          ending.abort();
          await shown;
        },
      };
    },
  };
}

/** Returns how many cells wait for a slot: hosts without one leave them in their queue on the server. */
async function cellsWaiting(client: Client, taskQueue: string): Promise<number> {
  const { stats } = await client.withDeadline(Date.now() + ANSWER_MS, () =>
    client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: placeQueueOf(taskQueue) },
      taskQueueType: TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
      reportStats: true,
    }),
  );
  return Number(stats?.approximateBacklogCount ?? 0);
}

/** Returns the id of this host, which its private folder keeps. */
async function hostId(stateFolder: string): Promise<string> {
  const file = join(stateFolder, 'host.json');
  const id = randomBytes(4).toString('hex');
  await publishOnce(file, `${JSON.stringify({ schema_version: 1, id })}\n`, 0o600);
  const note = parseJson((await readTextIfThere(file)) ?? '');
  if (isJsonObject(note) && typeof note['id'] === 'string' && /^[0-9a-f]{8}$/.test(note['id'])) return note['id'];
  throw new Error(`${file} is damaged; remove it to make this machine a new host`);
}
