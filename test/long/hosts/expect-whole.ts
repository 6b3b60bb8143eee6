import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { expect } from 'vitest';
import { connect } from '../../../src/engine/temporal/temporal-client.js';
import type { RunRecord } from '../../../src/model/records/run-record.js';
import type { ResultLine } from '../../../src/model/records/result-line.js';
import { opaqueId } from '../../../src/store/results-folder.js';
import { cellObject, resultsObject } from '../../../src/store/shared/names.js';
import { parseRunWorkflowId } from '../../../src/protocol/names.js';
import { pathsBelow } from '../../commands/engine-parts.js';
import { until } from '../../commands/project.js';
import { readProc } from '../../host/processes.js';
import type { Host } from './host.js';
import { endsOf, startsOf, type RunEnd, type Team } from './team.js';

/** The summary of a sweep, for the output of the tests. */
export interface Summary {
  cells: number;
  /** Runs that were done again because their hosts were lost. */
  again: number;
  starts: number;
}

/**
 * Expects of a completed sweep that every cell has exactly one result, in the shared place and on every host that is
 * given; that agents were started as often as the results say; and that no workflow failed and nothing is left.
 */
export async function expectWhole(team: Team, sweep: string, cells: number, living: Host[]): Promise<Summary> {
  const ends = await endsOf(team, sweep);
  const lines = ends.flatMap(({ line }) => line ?? []);
  expect(lines.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
  expect(new Set(lines.map(({ cell }) => cell)).size).toBe(cells);
  expect(lines).toHaveLength(cells);
  const ids = idsOf(lines);
  expect(new Set(ids).size).toBe(cells);
  expect(idsIn((await team.store.get(resultsObject(sweep, 1))) ?? '', sweep)).toEqual(ids);

  expectMirror('this machine', team.project.state, sweep, ids);
  for (const host of living) {
    const { exitCode, stderr } = await host.run(['show', sweep, '--json', '--results', team.results], team.env);
    expect([host.name, exitCode], stderr).toEqual([host.name, 0]);
    expectMirror(host.name, host.home, sweep, ids);
  }

  const client = await connect({ address: team.server.address, namespace: 'default', external: true });
  let starts: number;
  try {
    starts = await expectStarts(team, client, sweep, ends);
    await expectNoFailedTasks(client, sweep);
    await until('every workflow is closed', async () => {
      for await (const { status } of workflowsOf(client, sweep)) if (status.name === 'RUNNING') return null;
      return true;
    });
  } finally {
    await client.connection.close();
  }
  for (const host of living) await expectNothingLeft(host);
  return { cells, again: ends.length - lines.length, starts };
}

const idsOf = (lines: ResultLine[]): string[] => lines.map(({ id }) => id).sort();

/** The ids of a sweep's lines in a file of results. */
const idsIn = (text: string | Buffer, sweep: string): string[] =>
  idsOf(
    text
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ResultLine)
      .filter((line) => line.sweep === sweep),
  );

/** A state folder contains one private folder for each project. */
const privateFolder = (home: string): string => {
  const [id = '', ...others] = readdirSync(home).filter((name) => /^[0-9a-f]{12}$/.test(name));
  expect(others).toEqual([]);
  return join(home, id);
};

function expectMirror(name: string, home: string, sweep: string, ids: string[]): void {
  const text = readFileSync(join(privateFolder(home), 'results', 'results.jsonl'), 'utf8');
  expect([name, idsIn(text, sweep)]).toEqual([name, ids]);
}

/** The most starts of an agent that is lost again and again, in a run. */
const MAX_STARTS = 3;

/** The workflows of a sweep and of its runs. */
const workflowsOf = (client: Client, sweep: string): AsyncIterable<WorkflowExecutionInfo> =>
  client.workflow.list({
    query: `WorkflowId = "sweep/${sweep}" OR WorkflowId STARTS_WITH "sweep/${sweep}/"`,
  });

interface RunNumber {
  sweep: string;
  cell: string;
  incarnation: number;
}

/**
 * Returns the cells and numbers of runs, by the hashes of their ids, by which agents know them. All cells are of
 * `writeScenario`.
 */
async function numbersOfRuns(client: Client): Promise<Map<string, RunNumber>> {
  const found = new Map<string, RunNumber>();
  const all = client.workflow.list({ query: 'WorkflowType = "runScenario"' });
  for await (const { workflowId, runId, startTime } of all) {
    const [, sweep = '', cell = ''] = /^sweep\/([^/]+)\/(.+)\/[^/]+$/.exec(workflowId) ?? [];
    const when = startTime.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
    const run = `${when}-mock-default-many-${runId.slice(-8)}`;
    found.set(opaqueId(run), { sweep, cell, ...parseRunWorkflowId(workflowId) });
  }
  return found;
}

/**
 * A run that has a result says how often its agent was started, at most. Any other run that has started an agent must
 * be one of those that the shared place calls lost, and the report of the cell's result says how many were lost.
 * Returns the number of starts.
 */
async function expectStarts(team: Team, client: Client, sweep: string, ends: RunEnd[]): Promise<number> {
  const numbers = await numbersOfRuns(client);
  const ofSweep = startsOf(team).filter(({ run }) => numbers.get(run)?.sweep === sweep);
  const counts = new Map<string, number>();
  for (const { run } of ofSweep) counts.set(run, (counts.get(run) ?? 0) + 1);
  const lost = new Set(ends.filter(({ line }) => line === null).map(({ name }) => name));
  const nameOf = (cell: string, incarnation: number): string =>
    basename(cellObject({ sweep, cell, round: 1, incarnation }));

  for (const { line, name } of ends) {
    if (line === null) continue;
    // An agent whose host is killed at once may not have noted its start.
    const noted = counts.get(opaqueId(line.id)) ?? 0;
    expect(noted, line.id).toBeGreaterThan(0);
    expect(noted, line.id).toBeLessThanOrEqual(line.starts ?? 0);
    counts.delete(opaqueId(line.id));
    const record = await team.store.getFileOf(line.id, 'artifacts/run.json');
    const { lost_hosts = [] } = JSON.parse(record?.toString() ?? '') as RunRecord;
    expect([line.cell, name]).toEqual([line.cell, nameOf(line.cell, lost_hosts.length + 1)]);
    for (const [nth] of lost_hosts.entries()) expect(lost).toContain(nameOf(line.cell, nth + 1));
  }
  for (const [run, count] of counts) {
    const { cell = '', incarnation = 0 } = numbers.get(run) ?? {};
    expect(lost).toContain(nameOf(cell, incarnation));
    expect(count).toBeLessThanOrEqual(MAX_STARTS);
  }
  return ofSweep.length;
}

const { EventType, WorkflowTaskFailedCause } = temporal.api.enums.v1;

/**
 * Causes that say nothing against our workflows: an event came while the task was being completed, so the server has
 * the worker look again; or the server has forgotten the task, because it was killed.
 */
const HARMLESS = [
  WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
  WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND,
];

async function expectNoFailedTasks(client: Client, sweep: string): Promise<void> {
  const failed: string[] = [];
  for await (const { workflowId, runId } of workflowsOf(client, sweep)) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    for (const event of events ?? []) {
      const task = event.workflowTaskFailedEventAttributes;
      if (event.eventType !== EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED || task == null) continue;
      if (task.cause == null || !HARMLESS.includes(task.cause))
        failed.push(`${workflowId}: ${WorkflowTaskFailedCause[task.cause ?? 0]} ${task.failure?.message ?? ''}`);
    }
  }
  expect(failed).toEqual([]);
}

/** Expects that no run is left on a host: no agent, no slot, no secret, no half-written file, no workspace. */
async function expectNothingLeft(host: Host): Promise<void> {
  const folder = privateFolder(host.home);
  let left: string[] = [];
  const isClean = (): true | null => {
    left = [
      ...host
        .pids()
        .filter((pid) => environmentOf(pid).includes('LLM_TOOL_TEST_RUN='))
        .map((pid) => `process ${pid}`),
      ...pathsBelow(folder).filter((file) =>
        /\.tmp$|(^|\/)(env|open-runs|slots)\/.|^work\/[^/]+\/(workspace|home|login|bin)$/.test(file),
      ),
    ];
    return left.length === 0 ? true : null;
  };
  await until(`nothing is left on ${host.name}`, isClean).catch(async (error: unknown) => {
    throw new Error(`${left.join('\n')}\n${await host.log()}`, { cause: error });
  });
}

const environmentOf = (pid: number): string => readProc(pid, 'environ');
