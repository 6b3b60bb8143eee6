import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEngineState } from '../../src/engine/engine-state.js';
import { projectState } from '../../src/host/folders.js';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import { isAlive, signalProcess } from '../../src/host/process/process-identity.js';
import { connect } from '../../src/engine/temporal/temporal-client.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { summaryFile, opaqueId } from '../../src/store/results-folder.js';
import { sweepWorkflowId } from '../../src/protocol/index.js';
import { createProject, EMPTY_FIXTURE, scenario, until, type TestProject } from '../commands/project.js';
import { linesIn, partOf } from '../commands/engine-parts.js';

const CELLS = 12;
const KILLS = 3;
/** A new history of the sweep begins after every second cell. */
const SHORT_HISTORIES = { LLM_TOOL_TEST_LIMITS: '{"cellsPerHistory": 2}' };

test(
  'SIGKILL of all parts while a sweep continues as new loses no cell and runs none twice',
  { timeout: 1_200_000 },
  async () => {
    const project = await createProject(EMPTY_FIXTURE, { ownServer: true });
    const steps = [`run: 'echo start >> ${project.folder}/starts'`, 'wait_secs: 0.4', `run: 'echo done > out.txt'`];
    const gates = ['{type: file_contains, path: out.txt, substring: done}'];
    await project.write('fixtures/many.yaml', scenario('many', { gates, steps }));
    const args = ['run', 'many', '--repeat', String(CELLS), '--concurrency', '3', '--name', 'many', '--json'];
    let command = project.start(args, SHORT_HISTORIES);
    await until('the first agent runs', () => (linesIn(project, 'starts').length > 0 ? true : null));
    const sweep = (await readdir(join(project.results, 'sweeps')))[0] ?? '';

    for (let kills = 0; kills < KILLS; kills += 1) {
      if (existsSync(summaryFile(project.results, sweep))) break;
      await untilNewHistory(project, sweep);
      await killEverything(project);
      command.kill('SIGKILL');
      await command;
      command = project.start(['resume', 'many', '--json'], SHORT_HISTORIES);
      // A sweep that had ended when everything was killed needs no worker.
      let isOver = false;
      void command.then(() => (isOver = true));
      await until('a worker', async () => (isOver ? true : await partOf(project, 'worker')));
    }
    const first = await command;
    const { exitCode, stdout } = first.exitCode === 0 ? first : await project.cli(['resume', 'many', '--json']);
    const document = JSON.parse(stdout) as SweepDocument;
    expect(document.totals).toMatchObject({ passed: CELLS });
    expect(exitCode).toBe(0);
    const lines = await project.resultLines();
    expect(lines).toHaveLength(CELLS);
    expect(new Set(lines.map(({ cell }) => cell)).size).toBe(CELLS);
    const admitted = document.cells.reduce((sum, { starts }) => sum + (starts ?? 0), 0);
    expect(linesIn(project, 'starts')).toHaveLength(admitted);
    for (const { id } of lines) expect(markedProcesses(opaqueId(id))).toEqual([]);
    await project.remove();
  },
);

/** Waits until the sweep's workflow has a new run id or has closed. */
async function untilNewHistory(project: TestProject, sweep: string): Promise<void> {
  const engine = await until('an engine', async () => {
    const state = await readEngineState(projectState(project.results, project.state).folder);
    return state?.phase === 'ready' ? state : null;
  });
  const client = await connect({ address: engine.address, namespace: engine.namespace, external: false });
  try {
    const handle = client.workflow.getHandle(sweepWorkflowId(sweep));
    const { runId } = await handle.describe();
    await until(
      'a new history',
      async () => {
        const now = await handle.describe();
        return now.runId !== runId || now.status.name !== 'RUNNING' ? true : null;
      },
      300_000,
    );
  } finally {
    await client.connection.close();
  }
}

/** Kills keeper, worker and server at once with SIGKILL; agents keep running, as after a crash of the engine. */
async function killEverything(project: TestProject): Promise<void> {
  const parts = await Promise.all((['keeper', 'worker', 'server'] as const).map((part) => partOf(project, part)));
  for (const part of parts) if (part !== null) signalProcess(part, 'SIGKILL');
  await until('all are dead', () => (parts.some((part) => part !== null && isAlive(part)) ? null : true));
}
