import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { cli, createProject, repeated, spread } from './project.js';

/**
 * Measures how long after a SIGKILL of the worker its agent is followed again.
 * @returns {Promise<import('./project.js').Row[]>}
 */
export async function recovery() {
  const project = createProject();
  const { folder, env } = project;
  const [startsFile, goFile] = [join(folder, 'starts'), join(folder, 'go')];
  project.scenario('waits', {
    steps: [`{ run: 'echo start >> ${startsFile}; until [ -e ${goFile} ]; do sleep 0.05; done' }`],
  });
  let starts = 0;
  const killAndWait = async () => {
    for (const file of [startsFile, goFile]) rmSync(file, { force: true });
    const command = spawn(cli, ['run', 'waits', '--json'], { cwd: folder, env, stdio: 'ignore' });
    const ended = new Promise((resolve) => command.once('close', resolve));
    while (!existsSync(startsFile)) await sleep(20);
    const { address, worker } = await project.status();
    const client = new Client({ connection: await Connection.connect({ address }) });
    const open = client.workflow.list({
      query: 'WorkflowType = "runScenario" AND ExecutionStatus = "Running"',
    });
    const { value } = await open[Symbol.asyncIterator]().next();
    const handle = client.workflow.getHandle(value.workflowId);
    process.kill(worker.pid, 'SIGKILL');
    const killedAt = performance.now();
    for (;;) {
      const [pending] = (await handle.describe()).raw.pendingActivities ?? [];
      if (Number(pending?.attempt ?? 1) > 1 && pending?.lastStartedTime && pending.state === 2) break;
      await sleep(10);
    }
    const secs = (performance.now() - killedAt) / 1000;
    appendFileSync(goFile, '');
    await ended;
    await client.connection.close();
    starts += readFileSync(startsFile, 'utf8').trim().split('\n').length;
    return secs;
  };
  try {
    await project.run('engine', 'start');
    const times = await repeated(3, killAndWait);
    return [
      { what: 'SIGKILL of the worker until its agent is followed', value: spread(times, 's'), goal: '< 3 s' },
      {
        what: `agent starts in ${times.length} such runs`,
        value: String(starts),
        goal: String(times.length),
      },
    ];
  } finally {
    await project.remove();
  }
}
