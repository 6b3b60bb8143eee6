import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workerReadyFile } from '../../src/platform/engine/keeper.js';
import { isAlive } from '../../src/platform/process-identity.js';
import { killMarked, markedProcesses } from '../../src/platform/marked-processes.js';
import { waitUntil } from '../../src/platform/wait-until.js';
import type { SweepDocument } from '../../src/results/sweep-document.js';
import {
  createProject,
  EMPTY_FIXTURE,
  openRun,
  REPOSITORY,
  scenario,
  until,
  type TestProject,
} from '../commands/project.js';
import { kill, linesIn, partOf, untilLines } from './engine-parts.js';

let project: TestProject;

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE, { ownServer: true });
});
afterAll(() => project.remove());

/** A command that notes its start and then waits for the test. */
const gated = (name: string): string =>
  `echo start >> ${project.folder}/${name}.starts; until [ -e ${project.folder}/${name}.go ]; do sleep 0.05; done`;
const go = (name: string): Promise<void> => project.write(`${name}.go`, '');
const documentOf = (stdout: string): SweepDocument => JSON.parse(stdout) as SweepDocument;

/** An agent that prints before and after the wait, with a gate on what it wrote. */
const waitingAgent = (name: string): string =>
  scenario(name, {
    gates: ['{type: file_contains, path: out.txt, substring: after}'],
    steps: [`say: before the wait`, `run: '${gated(name)}; echo after > out.txt'`, 'say: after the wait'],
  });

async function expectWhole(document: SweepDocument): Promise<string[]> {
  const { run, text } = await openRun(document);
  expect(run.outcome).toBe('pass');
  const raw = await text('artifacts/transcript.raw.txt');
  expect(raw.match(/before the wait/g)).toHaveLength(1);
  expect(raw.match(/after the wait/g)).toHaveLength(1);
  expect((await project.resultLines()).filter(({ id }) => id === run.run_id)).toHaveLength(1);
  expect(markedProcesses(run.run_id)).toEqual([]);
  return run.agent?.history ?? [];
}

describe('SIGKILL', { timeout: 180_000 }, () => {
  test('of the worker while an agent works: the next worker adopts the agent, no output is missing', async () => {
    await project.write('fixtures/adopted.yaml', waitingAgent('adopted'));
    const command = project.start(['run', 'adopted', '--json']);
    await untilLines(project, 'adopted.starts', 1);
    await kill(project, 'worker');
    await until('another worker', () => partOf(project, 'worker'));
    await go('adopted');
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    expect(linesIn(project, 'adopted.starts')).toHaveLength(1);
    const [lost, adopted] = await expectWhole(documentOf(stdout));
    expect(lost).toMatch(/^attempt 1 ended: worker lost after /);
    expect(adopted).toMatch(/^start 1 of the agent (was alive; adopted|had ended; its output was taken)$/);
  });

  test('of the worker in a setup command, post script, gate and evaluator: the step is repeated, everything is there once', async () => {
    const steps = ['setup', 'post', 'gate', 'evaluator'];
    const [setup, post, gate, evaluator] = steps.map((step) =>
      JSON.stringify(`${gated(step)}; echo '{"score": 1}'`),
    );
    const more = [
      `setup: {commands: [${setup ?? ''}]}`,
      `scripts: {post: [{command: ${post ?? ''}}], evaluators: [{name: e, command: ${evaluator ?? ''}}]}`,
    ].join('\n');
    const gates = [`{type: command_succeeds, command: ${gate ?? ''}}`];
    await project.write('fixtures/stepwise.yaml', scenario('stepwise', { gates, steps: ['say: x'], more }));
    const command = project.start(['run', 'stepwise', '--json']);
    for (const step of steps) {
      await untilLines(project, `${step}.starts`, 1);
      await kill(project, 'worker');
      await untilLines(project, `${step}.starts`, 2);
      await go(step);
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

  test('of the worker while it copies the workspace for the report, and while it cleans up: both are done once, whole', async () => {
    // So many files that there is time to see the copy, and the removal, under way.
    const steps = [`run: '${gated('reported')}; mkdir many; cd many; seq 5000 | xargs touch'`];
    const gates = ['{type: file_exists, path: many/5000}'];
    await project.write('fixtures/reported.yaml', scenario('reported', { gates, steps }));
    const command = project.start(['run', 'reported', '--json']);
    await untilLines(project, 'reported.starts', 1);
    const state = join(project.state, await engineFolder());
    const run = readdirSync(join(state, 'work')).find((name) => name.includes('-reported-')) ?? '';
    const killWorkerWhen = async (what: string, isSo: () => boolean): Promise<void> => {
      await until(what, () => waitUntil(() => (isSo() ? true : null), 10_000, 1));
      const { pid } = JSON.parse(readFileSync(workerReadyFile(state), 'utf8')) as { pid: number };
      process.kill(pid, 'SIGKILL');
    };
    await go('reported');
    const copies = (): string[] =>
      existsSync(join(project.results, run))
        ? readdirSync(join(project.results, run)).filter((name) => name.endsWith('.tmp'))
        : [];
    await killWorkerWhen('the workspace is being copied', () => copies().length > 0);
    expect(copies()).toHaveLength(1);
    const published = join(state, 'work', run, 'steps', 'report.json');
    await killWorkerWhen('the report is published', () => existsSync(published));
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    const { run: record } = await openRun(documentOf(stdout));
    expect(record.steps.find(({ name }) => name === 'report')?.attempts).toBe(2);
    expect(readdirSync(join(project.results, run, 'fixture', 'many'))).toHaveLength(5000);
    expect(copies()).toEqual([]);
    expect((await project.resultLines()).filter(({ id }) => id === run)).toHaveLength(1);
    expect(existsSync(join(state, 'work', run, 'fixture'))).toBe(false);
    expect(linesIn(project, 'reported.starts')).toHaveLength(1);
  });

  test('of the server: it is started again and the sweep goes on, the agent undisturbed', async () => {
    await project.write('fixtures/serverless.yaml', waitingAgent('serverless'));
    const command = project.start(['run', 'serverless', '--json', '--name', 'serverless']);
    await untilLines(project, 'serverless.starts', 1);
    await kill(project, 'server');
    await until('another server', () => partOf(project, 'server'));
    await go('serverless');
    await command;
    const { exitCode, stdout } = await project.cli(['resume', 'serverless', '--json']);
    expect(exitCode).toBe(0);
    expect(linesIn(project, 'serverless.starts')).toHaveLength(1);
    await expectWhole(documentOf(stdout));
  });

  test('of the keeper: the work is finished all the same, and the next command brings a keeper back', async () => {
    await project.write('fixtures/unkept.yaml', waitingAgent('unkept'));
    const command = project.start(['run', 'unkept', '--json']);
    await untilLines(project, 'unkept.starts', 1);
    await kill(project, 'keeper');
    await go('unkept');
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    await expectWhole(documentOf(stdout));
    expect(await partOf(project, 'keeper')).toBeNull();
    await project.cli(['engine', 'start']);
    expect(await partOf(project, 'keeper')).not.toBeNull();
  });

  test('of everything at once, agents too: the next command goes on with the sweep and the report admits the repeated start', async () => {
    await project.write('fixtures/blackout.yaml', waitingAgent('blackout'));
    const command = project.start(['run', 'blackout', '--name', 'blackout']);
    await untilLines(project, 'blackout.starts', 1);
    const parts = await Promise.all(
      (['keeper', 'worker', 'server'] as const).map((part) => partOf(project, part)),
    );
    const [run = ''] = (await execa('ls', [join(project.state, await engineFolder(), 'work')])).stdout
      .split('\n')
      .filter((name) => name.includes('-blackout-'));
    for (const pid of [...parts.map((part) => part?.pid ?? 0), ...markedProcesses(run)]) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // died with its supervisor a moment ago
      }
    }
    command.kill('SIGKILL');
    await command;
    await until('all are dead', () => (parts.some((part) => part !== null && isAlive(part)) ? null : true));
    await killMarked(run); // what was forked between the look and the kill
    expect(markedProcesses(run)).toEqual([]);
    await go('blackout');
    const { exitCode, stdout } = await project.cli(['resume', 'blackout', '--json']);
    expect(exitCode).toBe(0);
    expect(linesIn(project, 'blackout.starts')).toHaveLength(2);
    const document = documentOf(stdout);
    expect(document.cells[0]?.attempts).toBe(2);
    const history = await expectWhole(document);
    expect(history.join('\n')).toMatch(
      /start 1 of the agent was lost without an exit status\nstart 2 of the agent began anew/,
    );
    const { text } = await openRun(document);
    expect(await text('attempts/start-1/transcript.raw.txt')).toContain('before the wait');
    expect(await text('report.md')).toContain('worker lost after');
  });
});

describe('a worker', { timeout: 180_000 }, () => {
  test('that aborts, as it does when it is out of memory, is replaced, its agent adopted', async () => {
    await project.write('fixtures/aborted.yaml', waitingAgent('aborted'));
    const command = project.start(['run', 'aborted', '--json']);
    await untilLines(project, 'aborted.starts', 1);
    const worker = await until('a worker', () => partOf(project, 'worker'));
    process.kill(worker.pid, 'SIGABRT');
    await until('the worker is dead', () => (isAlive(worker) ? null : true));
    await until('another worker', () => partOf(project, 'worker'));
    await go('aborted');
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    expect(linesIn(project, 'aborted.starts')).toHaveLength(1);
    await expectWhole(documentOf(stdout));
  });

  test('that is frozen is ended by the keeper, and the run goes on without it', async () => {
    await project.write('fixtures/frozen.yaml', waitingAgent('frozen'));
    const command = project.start(['run', 'frozen', '--json']);
    await untilLines(project, 'frozen.starts', 1);
    const worker = await until('a worker', () => partOf(project, 'worker'));
    process.kill(worker.pid, 'SIGSTOP');
    await until('the frozen worker is ended', () => (isAlive(worker) ? null : true), 60_000);
    await go('frozen');
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    expect(linesIn(project, 'frozen.starts')).toHaveLength(1);
    await expectWhole(documentOf(stdout));
  });

  test('of another build is replaced by the next command in the middle of a sweep, its agent adopted', async () => {
    const other = await mkdtemp(join(tmpdir(), 'llm-tool-test-build-'));
    await cp(join(REPOSITORY, 'dist'), join(other, 'dist'), { recursive: true });
    await cp(join(REPOSITORY, 'package.json'), join(other, 'package.json'));
    await symlink(join(REPOSITORY, 'node_modules'), join(other, 'node_modules'));
    await writeFile(join(other, 'dist', 'build-id'), 'another-build');
    await project.write('fixtures/upgraded.yaml', waitingAgent('upgraded'));
    const command = project.start(['run', 'upgraded', '--name', 'upgraded', '--json']);
    await untilLines(project, 'upgraded.starts', 1);
    const before = await partOf(project, 'worker');
    const upgraded = execa(
      process.execPath,
      [join(other, 'dist', 'cli.js'), 'resume', 'upgraded', '--json'],
      {
        cwd: project.folder,
        env: project.env,
        reject: false,
      },
    );
    await until('the old worker has ended', () => (before !== null && isAlive(before) ? null : true));
    await go('upgraded');
    const { exitCode, stdout } = await upgraded;
    expect(exitCode).toBe(0);
    expect(linesIn(project, 'upgraded.starts')).toHaveLength(1);
    await expectWhole(documentOf(stdout));
    expect((await command).exitCode).toBe(0);
    await project.cli(['engine', 'start']); // back to this build, before the other one's files go
    await rm(other, { recursive: true });
  });
});

async function engineFolder(): Promise<string> {
  return (await execa('ls', [project.state])).stdout.split('\n')[0] ?? '';
}
