import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { expect } from 'vitest';
import { connect } from '../../../src/platform/temporal/temporal-client.js';
import type { ResultLine } from '../../../src/results/records/result-line.js';
import { until } from '../../commands/project.js';
import type { Host } from './host.js';
import { endsOf, startsOf, type Team } from './team.js';

/** What a sweep has done, for the output of the tests. */
export interface Summary {
  cells: number;
  /** Runs that were done again because their hosts were lost. */
  again: number;
  starts: number;
}

/**
 * Expects of a completed sweep that every cell has exactly one result, in the shared place and on every host that is given;
 * that agents were started as often as the results say; and that no workflow failed and nothing is left.
 */
export async function expectWhole(
  team: Team,
  sweep: string,
  cells: number,
  living: Host[],
): Promise<Summary> {
  const ends = await endsOf(team, sweep);
  const lines = ends.flatMap(({ line }) => line ?? []);
  expect(lines.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
  expect(new Set(lines.map(({ cell }) => cell)).size).toBe(cells);
  expect(lines).toHaveLength(cells);
  const ids = idsOf(lines);
  expect(new Set(ids).size).toBe(cells);
  expect(idsOf(parseLines((await team.store.get(`sweeps/${sweep}/results.r1.jsonl`)) ?? ''))).toEqual(ids);

  expectMirror('this machine', team.project.state, ids);
  for (const host of living) {
    const { exitCode, stderr } = await host.run(
      ['show', sweep, '--json', '--results', team.results],
      team.env,
    );
    expect([host.name, exitCode], stderr).toEqual([host.name, 0]);
    expectMirror(host.name, host.home, ids);
  }

  const client = await connect({ address: team.server.address, namespace: 'default', external: true });
  try {
    await expectStarts(team, client, sweep, ends);
    await expectNoFailedTasks(client, sweep);
    await until('every workflow is closed', async () => {
      for await (const { status } of workflowsOf(client, sweep)) if (status.name === 'RUNNING') return null;
      return true;
    });
  } finally {
    await client.connection.close();
  }
  for (const host of living) await expectNothingLeft(host);
  return { cells, again: ends.length - lines.length, starts: startsOf(team).length };
}

const idsOf = (lines: ResultLine[]): string[] => lines.map(({ id }) => id).sort();

const parseLines = (text: string | Buffer): ResultLine[] =>
  text
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ResultLine);

/** A state folder contains one private folder for each project. */
const privateFolder = (home: string): string => {
  const [id = '', ...others] = readdirSync(home).filter((name) => /^[0-9a-f]{12}$/.test(name));
  expect(others).toEqual([]);
  return join(home, id);
};

function expectMirror(name: string, home: string, ids: string[]): void {
  const text = readFileSync(join(privateFolder(home), 'results', 'results.jsonl'), 'utf8');
  expect([name, idsOf(parseLines(text))]).toEqual([name, ids]);
}

/** The workflows of a sweep and of its runs. */
const workflowsOf = (client: Client, sweep: string): AsyncIterable<WorkflowExecutionInfo> =>
  client.workflow.list({
    query: `WorkflowId = "sweep/${sweep}" OR WorkflowId STARTS_WITH "sweep/${sweep}/"`,
  });

/** Where Temporal says that a run belongs: its id ends with the beginning of its workflow's run id, from behind. */
async function numbersOfRuns(
  client: Client,
  sweep: string,
): Promise<Map<string, { cell: string; nth: number }>> {
  const found = new Map<string, { cell: string; nth: number }>();
  for await (const { workflowId, runId } of workflowsOf(client, sweep)) {
    const [, cell, nth = '1'] = /^sweep\/[^/]+\/(.+)\/r\d+(?:\.(\d+))?$/.exec(workflowId) ?? [];
    if (cell !== undefined) found.set(runId.slice(-8), { cell, nth: Number(nth) });
  }
  return found;
}

/**
 * A run that has a result says how often its agent was started. Any other run that has started an agent must be one of those
 * that the shared place calls lost.
 */
async function expectStarts(
  team: Team,
  client: Client,
  sweep: string,
  ends: Awaited<ReturnType<typeof endsOf>>,
): Promise<void> {
  const numbers = await numbersOfRuns(client, sweep);
  const counts = new Map<string, number>();
  for (const { run } of startsOf(team)) counts.set(run, (counts.get(run) ?? 0) + 1);
  for (const { line } of ends) {
    if (line === null) continue;
    expect([line.id, counts.get(line.id)]).toEqual([line.id, line.starts]);
    counts.delete(line.id);
  }
  const lost = new Set(ends.filter(({ line }) => line === null).map(({ name }) => name));
  for (const [run, count] of counts) {
    const number = numbers.get(run.slice(-8));
    if (number === undefined) throw new Error(`no workflow of run ${run}`);
    const { cell, nth } = number;
    expect(lost).toContain(`${cell.replaceAll('/', '=')}.r1.i${nth}.json`);
    expect(count).toBeLessThanOrEqual(3);
  }
  for (const { line } of ends) {
    if (line === null) continue;
    const again = [...lost].filter((name) => name.startsWith(`${line.cell.replaceAll('/', '=')}.r`)).length;
    const record = await team.store.getFileOf(line.id, 'artifacts/run.json');
    const { lost_hosts = [] } = JSON.parse(record?.toString() ?? '{}') as { lost_hosts?: unknown[] };
    expect([line.cell, lost_hosts.length]).toEqual([line.cell, again]);
  }
}

const { EventType, WorkflowTaskFailedCause } = temporal.api.enums.v1;

/**
 * Causes that say nothing against our workflows: an event came while the task was being completed, so the server has the
 * worker look again; or the server has forgotten the task, because it was killed.
 */
const HARMLESS = [
  WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
  WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND,
];

export async function expectNoFailedTasks(client: Client, sweep: string): Promise<void> {
  const failed: string[] = [];
  for await (const { workflowId, runId } of workflowsOf(client, sweep)) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    for (const event of events ?? []) {
      const task = event.workflowTaskFailedEventAttributes;
      if (event.eventType !== EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED || task == null) continue;
      if (task.cause == null || !HARMLESS.includes(task.cause))
        failed.push(
          `${workflowId}: ${WorkflowTaskFailedCause[task.cause ?? 0]} ${task.failure?.message ?? ''}`,
        );
    }
  }
  expect(failed).toEqual([]);
}

/** Expects that no run is left on a host: no agent, no slot, no secret, no half-written file, no workspace. */
async function expectNothingLeft(host: Host): Promise<void> {
  const folder = privateFolder(host.home);
  const left = (): string[] => [
    ...host
      .pids()
      .filter((pid) => environmentOf(pid).includes('LLM_TOOL_TEST_RUN='))
      .map((pid) => `process ${pid}`),
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.tmp$|(^|\/)(env|open-runs|slots)\/.|^work\/[^/]+\/(fixture|home|login|bin)$/.test(file),
    ),
  ];
  await until(`nothing is left on ${host.name}`, () => (left().length === 0 ? true : null)).catch(() =>
    expect([host.name, left()]).toEqual([host.name, []]),
  );
}

const environmentOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
};
