import { setTimeout as sleep } from 'node:timers/promises';
import { formatAge, UsageError } from '#lib';
import type { HostRecord } from '#model';
import { openProject } from '#planning';
import { parseRunWorkflowId, sweepWorkflowId } from '#protocol';
import { renderHosts, SILENT_MS } from '#reports';
import {
  drainObject,
  parseRoundMark,
  readHost,
  readHosts,
  ROUNDS,
  type SeenHost,
  type SharedProject,
  sharedProjectOf,
} from '#store';
import { printJson, printNotice, textOptions } from './shared/output.js';

interface WorkersOptions {
  results?: string;
  json: boolean;
}

/** `workers`: shows the hosts of shared results. */
export async function showWorkers({ results, json }: WorkersOptions): Promise<number> {
  const { store, location } = await openShared(results);
  const seen = await readHosts(store);
  const ended = new Set(
    (await store.list(ROUNDS)).flatMap((name) => {
      const mark = parseRoundMark(name);
      return mark?.mark === 'ended' ? [`${sweepWorkflowId(mark.sweep)} ${mark.round}`] : [];
    }),
  );
  const hosts = seen
    .map((host) => ({ ...host, runs: host.runs.filter((run) => !ended.has(roundOf(run.workflow_id))) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (json) printJson({ hosts });
  else if (hosts.length === 0)
    process.stdout.write(
      `no host has joined ${location}; start one with llm-tool-test worker --address <host:port> --results ${location}\n`,
    );
  else process.stdout.write(renderHosts(hosts, textOptions()));
  return 0;
}

const LOOK_MS = 1000;

/**
 * `workers drain`: tells a host to take no new runs, or to take runs again (`--undo`). With `--wait`, returns when its
 * runs have ended; 1 if it is silent, since its runs may never end.
 */
export async function drainWorker(
  name: string,
  { results, json, undo, wait }: WorkersOptions & { undo: boolean; wait: boolean },
): Promise<number> {
  const { store } = await openShared(results);
  const host = findHost(await readHosts(store), name);
  if (undo) await store.remove(drainObject(host.id));
  else await store.put(drainObject(host.id), '');
  if (json) printJson({ host: host.id, draining: !undo });
  else
    printNotice(
      undo
        ? `${host.name} will take runs again within seconds`
        : `${host.name} will take no new runs within seconds; \`workers\` shows when its ${host.runs.length} runs have ended`,
    );
  if (!wait || undo) return 0;
  let { sign } = host;
  let seenAt = performance.now() - host.silent_ms;
  for (let now = await readHost(store, host.id); !isDrained(now); now = await readHost(store, host.id)) {
    if (now !== null && now.sign !== sign) [sign, seenAt] = [now.sign, performance.now()];
    const silentMs = performance.now() - seenAt;
    if (silentMs > SILENT_MS) {
      printNotice(
        `${host.name} has been silent for ${formatAge(silentMs)}: it is lost, or cannot reach the results; other hosts run again what it had`,
      );
      return 1;
    }
    await sleep(LOOK_MS);
  }
  if (!json) printNotice(`${host.name} has no runs`);
  return 0;
}

/** A host that has not noticed yet that it should drain may still take a run. One without a record is gone. */
const isDrained = (host: Pick<HostRecord, 'draining' | 'runs'> | null): boolean =>
  host === null || (host.draining && host.runs.length === 0);

/** The sweep and the round of a run. A host that was lost still claims the runs of a round that has ended. */
const roundOf = (workflowId: string): string =>
  `${workflowId.split('/').slice(0, 2).join('/')} ${parseRunWorkflowId(workflowId).round}`;

async function openShared(results: string | undefined): Promise<SharedProject> {
  const { resultsPath } = openProject(results);
  const project = await sharedProjectOf(resultsPath);
  if (project !== null) return project;
  throw new UsageError(
    'not_shared',
    `${resultsPath} is not shared, so it has no hosts; \`engine status\` shows its worker`,
  );
}

function findHost(hosts: readonly SeenHost[], name: string): SeenHost {
  const [host, ...others] = hosts.filter((one) => one.name === name || one.id === name);
  if (host !== undefined && others.length === 0) return host;
  const known = hosts.map(({ id, name: of }) => `${of} (${id})`).join(', ');
  throw new UsageError(
    'unknown_id',
    host === undefined
      ? `there is no host ${name}; the hosts are: ${known || 'none'}`
      : `${name} is the name of several hosts; use an id: ${known}`,
  );
}
