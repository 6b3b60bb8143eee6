import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workerReadyFile } from '../../src/engine/engine-state.js';
import { projectState } from '../../src/host/folders.js';
import { isAlive } from '../../src/host/process/process-identity.js';
import { waitUntil } from '../../src/host/process/waiting.js';
import { stateOfRun } from '../../src/store/results-folder.js';
import { gatedCommand, letGo, untilStarted } from '../commands/gated.js';
import {
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  openRun,
  scenario,
  until,
  type TestProject,
} from '../commands/project.js';
import { killProcess, processesWith } from '../host/processes.js';
import { kill, linesIn, partOf, runsOf } from '../commands/engine-parts.js';
import { expectWhole, writeWaiting } from './waiting-agent.js';

let project: TestProject;

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
});
afterAll(() => project.remove());

describe('SIGKILL', () => {
  test('of the worker while an agent works lets the next worker adopt the agent, without missing output', async () => {
    await writeWaiting(project, 'adopted');
    const command = project.start(['run', 'adopted', '--json']);
    await untilStarted(project, 'adopted');
    await kill(project, 'worker');
    await until('another worker', () => partOf(project, 'worker'));
    await letGo(project, 'adopted');
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    expect(linesIn(project, 'adopted.starts')).toHaveLength(1);
    const [lost, adopted] = await expectWhole(project, documentOf(stdout));
    expect(lost).toMatch(/^attempt 1 ended: worker lost after /);
    expect(adopted).toMatch(
      /^start 1 of the agent (was still running; adopted it|had already ended; used its output)$/,
    );
  });

  test('of the worker in a setup command, post script, gate or evaluator repeats the step, and each result exists once', async () => {
    const steps = ['setup', 'post', 'gate', 'evaluator'];
    const [setup, post, gate, evaluator] = steps.map((step) =>
      JSON.stringify(`${gatedCommand(project, step)}; echo '{"score": 1}'`),
    );
    const more = [
      `setup: {commands: [${setup ?? ''}]}`,
      `scripts: {post: [{command: ${post ?? ''}}], evaluators: [{name: e, command: ${evaluator ?? ''}}]}`,
    ].join('\n');
    const gates = [`{type: command_succeeds, command: ${gate ?? ''}}`];
    await project.write('fixtures/stepwise.yaml', scenario('stepwise', { gates, steps: ['say: x'], more }));
    const command = project.start(['run', 'stepwise', '--json']);
    for (const step of steps) {
      await untilStarted(project, step);
      const first = processesWith(`/${step}.go`);
      expect(first).not.toEqual([]);
      await kill(project, 'worker');
      await untilStarted(project, step, 2);
      expect([step, processesWith(`/${step}.go`).filter((pid) => first.includes(pid))]).toEqual([step, []]);
      await letGo(project, step);
    }
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    const { run, metrics } = await openRun(documentOf(stdout));
    expect(run.steps.filter(({ attempts }) => attempts === 2).map(({ name }) => name)).toEqual([
      'prepare',
      'post 1',
      'gate 1',
      'evaluator 1',
    ]);
    expect(metrics.evaluator_results).toHaveLength(1);
    expect((await project.resultLines()).filter(({ id }) => id === run.run_id)).toHaveLength(1);
  });

  test('of the worker while it copies the workspace for the report, and while it cleans up, leaves one complete copy and no remains', async () => {
    // Enough files that the copy and the removal can be seen while they are in progress.
    const steps = [`run: '${gatedCommand(project, 'reported')}; mkdir many; cd many; seq 5000 | xargs touch'`];
    const gates = ['{type: file_exists, path: many/5000}'];
    await project.write('fixtures/reported.yaml', scenario('reported', { gates, steps }));
    const command = project.start(['run', 'reported', '--json']);
    await untilStarted(project, 'reported');
    const state = projectState(project.results, project.state).folder;
    const [run = ''] = runsOf(project, 'reported');
    const killWorkerWhen = async (what: string, isSo: () => boolean): Promise<void> => {
      await until(what, () => waitUntil(() => (isSo() ? true : null), 10_000, 1));
      const { pid } = JSON.parse(readFileSync(workerReadyFile(state), 'utf8')) as { pid: number };
      killProcess(pid);
    };
    await letGo(project, 'reported');
    const copies = (): string[] =>
      existsSync(join(project.results, run))
        ? readdirSync(join(project.results, run)).filter((name) => name.endsWith('.tmp'))
        : [];
    await killWorkerWhen('the workspace is being copied', () => copies().length > 0);
    expect(copies()).toHaveLength(1);
    const published = join(stateOfRun(state, run), 'steps', 'report.json');
    await killWorkerWhen('the report is published', () => existsSync(published));
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    const { run: record } = await openRun(documentOf(stdout));
    expect(record.steps.find(({ name }) => name === 'report')?.attempts).toBe(2);
    expect(readdirSync(join(project.results, run, 'fixture', 'many'))).toHaveLength(5000);
    expect(copies()).toEqual([]);
    expect((await project.resultLines()).filter(({ id }) => id === run)).toHaveLength(1);
    expect(existsSync(join(stateOfRun(state, run), 'workspace'))).toBe(false);
    expect(linesIn(project, 'reported.starts')).toHaveLength(1);
  });
});

describe('a worker', () => {
  test('that aborts, as if it were out of memory, is replaced, and its agent is adopted', async () => {
    await writeWaiting(project, 'aborted');
    const command = project.start(['run', 'aborted', '--json']);
    await untilStarted(project, 'aborted');
    const worker = await until('a worker', () => partOf(project, 'worker'));
    killProcess(worker.pid, 'SIGABRT');
    await until('the worker is dead', () => (isAlive(worker) ? null : true));
    await until('another worker', () => partOf(project, 'worker'));
    await letGo(project, 'aborted');
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    expect(linesIn(project, 'aborted.starts')).toHaveLength(1);
    await expectWhole(project, documentOf(stdout));
  });

  test('that is frozen is killed by the keeper, and the run continues with another one', async () => {
    await writeWaiting(project, 'frozen');
    await project.cli(['engine', 'stop']); // the next engine takes a worker for stuck sooner
    const limits = { LLM_TOOL_TEST_LIMITS: '{"workerSilentMs": 5000}' };
    const command = project.start(['run', 'frozen', '--json'], limits);
    await untilStarted(project, 'frozen');
    const worker = await until('a worker', () => partOf(project, 'worker'));
    killProcess(worker.pid, 'SIGSTOP');
    await until('the frozen worker is ended', () => (isAlive(worker) ? null : true), 60_000);
    await letGo(project, 'frozen');
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    expect(linesIn(project, 'frozen.starts')).toHaveLength(1);
    await expectWhole(project, documentOf(stdout));
  });
});
