import { appendFile, mkdir, rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { resultsLog } from '../../src/store/results-folder.js';
import type { Activities } from '../../src/activities/create-activities.js';
import { runWorkflowId, type AgentSummary, type RunPlan, type RunResult } from '../../src/protocol/index.js';
import { gatedCommand, letGo, sweepOf, untilStarted, writeGated } from '../commands/gated.js';
import { documentOf, EMPTY_FIXTURE, scenario, until } from '../commands/project.js';
import { projectWithClient } from '../commands/project-with-client.js';

/** Completes activities as any process on this machine can: with a client on Temporal's port. */
const { project, client } = await projectWithClient(EMPTY_FIXTURE);

/** Completes the activity of that name in the only run of a sweep, as soon as the server has scheduled it. */
async function forge(name: string, activity: keyof Activities, result: unknown): Promise<void> {
  const workflowId = runWorkflowId(await sweepOf(project, name), `${name}/mock/default/default/1`, 1);
  await until(`a ${activity} that can be completed`, async () => {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    const pending = raw.pendingActivities?.find(({ activityType }) => activityType?.name === activity);
    if (pending?.activityId == null) return null;
    await client.activity.complete({ workflowId, activityId: pending.activityId }, result);
    return true;
  });
}

/** Waits for the end of the sweep that was started with that name, and returns its only cell. */
async function cellOf(name: string) {
  const { stdout, exitCode } = await project.cli(['resume', name, '--json']);
  expect(exitCode).toBe(3);
  const [cell] = documentOf(stdout).cells;
  expect((await project.resultLines()).filter(({ scenario_id }) => scenario_id === name)).toHaveLength(1);
  return cell;
}

const NOT_THERE = '{type: file_exists, path: no-such-file}';
const start = (name: string) => project.cli(['run', name, '--name', name, '--detach']);

test('a gate completed by another client has not passed', async () => {
  const gate = `{type: command_succeeds, name: waits, command: '${gatedCommand(project, 'gate')}; false', timeout_secs: 600}`;
  await project.write('fixtures/gate.yaml', scenario('gate', { gates: [gate], steps: ['say: done'] }));
  await start('gate');
  await untilStarted(project, 'gate');
  await forge('gate', 'checkGate', 'pass');
  expect(await cellOf('gate')).toMatchObject({
    outcome: 'error',
    message: '0/1 gates passed, 1 not checked: command_succeeds waits: left no result',
  });
  await letGo(project, 'gate');
});

test('an agent step completed by another client counts as having no result', async () => {
  await writeGated(project, 'agent');
  await start('agent');
  await untilStarted(project, 'agent');
  const brief: AgentSummary = { ending: 'done', completed: true, message: 'done', costUsd: 0 };
  await forge('agent', 'runAgent', brief);
  expect(await cellOf('agent')).toMatchObject({
    outcome: 'error',
    message: "step 'agent' left no result",
  });
  await letGo(project, 'agent');
});

test('a report completed by another client leaves no result, and the cell is an error', async () => {
  await writeGated(project, 'report', { gates: [NOT_THERE] });
  await start('report');
  await untilStarted(project, 'report');
  // The report is retried as long as no result can be written.
  const log = resultsLog(project.results);
  const before = await project.resultLines();
  await rm(log, { force: true });
  await mkdir(log);
  await letGo(project, 'report');
  const result: RunResult = { outcome: 'pass', message: 'all gates passed', costUsd: 0 };
  await forge('report', 'writeReport', result);
  const workflowId = runWorkflowId(await sweepOf(project, 'report'), 'report/mock/default/default/1', 1);
  expect(await client.workflow.getHandle(workflowId).result()).toEqual(result);
  await rm(log, { recursive: true });
  // The sweep writes its own line as soon as it can, so the lines from before are added to it.
  await appendFile(log, before.map((line) => `${JSON.stringify(line)}\n`).join(''));
  expect(await cellOf('report')).toMatchObject({ outcome: 'error', message: 'the run left no result' });
});

test('a run is not replaced by the result of other inputs that another client supplies', async () => {
  await project.write(
    'fixtures/easy.yaml',
    scenario('easy', { gates: ['{type: file_exists, path: README.md}'], steps: ['say: done'] }),
  );
  const { document } = await project.run(['easy']);
  expect(document.cells[0]?.outcome).toBe('pass');
  const passed = document.cells[0]?.results_dir?.split('/').at(-1) ?? '';
  await project.write(
    'fixtures/hard.yaml',
    scenario('hard', {
      gates: [NOT_THERE],
      steps: ['say: done'],
      more: `setup: {commands: ['${gatedCommand(project, 'hard')}']}`,
    }),
  );
  await start('hard');
  await untilStarted(project, 'hard');
  const runPlan: RunPlan = {
    unfit: null,
    reuse: passed,
    gates: [],
    evaluators: [],
    steps: [{ kind: 'agent', timeoutSecs: 60, rebuildSecs: 0 }],
  };
  await forge('hard', 'prepareWorkspace', runPlan);
  // The other problem is the refused result.
  expect(await cellOf('hard')).toMatchObject({
    outcome: 'error',
    message: "step 'prepare' left no result (and 1 more)",
  });
  await letGo(project, 'hard');
});
