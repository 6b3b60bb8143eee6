import { lostSecsOf } from '../lib/signs-of-life.js';
import { terminate } from '../platform/temporal/terminate.js';
import { readHost } from '../store/shared/host-records.js';
import { markLost } from '../store/shared/mirror.js';
import type { SharedProject } from '../store/shared/shared-project.js';
import { cellOfRun, hostQueueOf, parseRunWorkflowId } from '../workflows/protocol.js';
import { askServer } from './ask-server.js';
import type { Session } from './session.js';

/**
 * Creates a function that ends those runs of a sweep whose hosts show no sign of life: nobody else does so once the
 * sweep's workflow has closed. A host is lost if the function has seen no new sign of it for long enough.
 */
export function createEndOfLostRuns(
  session: Session,
  project: SharedProject,
  sweep: string,
): (workflowIds: readonly string[]) => Promise<void> {
  const lostMs = lostSecsOf(process.env) * 1000;
  const seen = new Map<string, { sign: number | null; since: number }>();
  const prefix = hostQueueOf(session.engine.taskQueue, '');

  async function lostSince(host: string): Promise<boolean> {
    const sign = (await readHost(project.store, host))?.sign ?? null;
    const before = seen.get(host);
    if (before === undefined || before.sign !== sign) seen.set(host, { sign, since: performance.now() });
    return before !== undefined && before.sign === sign && performance.now() - before.since >= lostMs;
  }

  return async (workflowIds) => {
    for (const id of workflowIds) {
      const queue = await askServer(session, ({ workflow }) => workflow.getHandle(id).describe()).then(
        ({ taskQueue }) => taskQueue,
        () => '',
      );
      const host = queue.startsWith(prefix) ? queue.slice(prefix.length) : null;
      if (host === null || !(await lostSince(host))) continue;
      const run = { sweep, cell: cellOfRun(sweep, id), ...parseRunWorkflowId(id) };
      await markLost(project, run, { host, at: new Date().toISOString() });
      session.report(`${run.cell}: its host ${host} shows no sign of life; its run is given up`);
      await askServer(session, (client) => terminate(client, id, `its host ${host} shows no sign of life`));
    }
  };
}
