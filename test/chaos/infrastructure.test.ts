import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { sha256 } from '../../src/lib/hash.js';
import { logFile } from '../../src/engine/engine-state.js';
import { projectState } from '../../src/host/folders.js';
import { killMarked } from '../../src/host/process/marked-processes.js';
import { proveSweep } from '../../src/host/security/origin.js';
import { isAlive, signalProcess } from '../../src/host/process/process-identity.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { originKey } from '../../src/store/origin.js';
import { planFile } from '../../src/store/results-folder.js';
import {
  QUERIES,
  runWorkflowId,
  sweepWorkflowId,
  WORKFLOWS,
  type SweepInput,
  type SweepProgress,
} from '../../src/protocol/index.js';
import {
  createProject,
  EMPTY_FIXTURE,
  openRun,
  scenario,
  until,
  type ScenarioOptions,
  type TestProject,
} from '../commands/project.js';
import { pipesWithoutWriter, readProc } from '../host/processes.js';
import { filesBelow, kill, linesIn, partOf, untilLines } from '../commands/engine-parts.js';
import { createWire } from './wire.js';

/** Mounting a small file system requires root, which CI has. */
const isRoot = process.getuid?.() === 0;

let client: Client;
beforeAll(async () => {
  client = new Client({ connection: await Connection.connect({ address: inject('temporalAddress') }) });
});
afterAll(() => client.connection.close());

/** The last failure of the current step of the only run in these results, as the server knows it. */
async function lastFailure(results: string, name: string): Promise<string | null> {
  const [sweep = ''] = readdirSync(join(results, 'sweeps'));
  const run = client.workflow.getHandle(runWorkflowId(sweep, `${name}/mock/default/default/1`, 1));
  const { raw } = await run.describe();
  return raw.pendingActivities?.[0]?.lastFailure?.message ?? null;
}

// These tests spend most of their time waiting, so they run at the same time, each in its own project.
describe.concurrent('a results folder on a small file system', () => {
  test.runIf(isRoot).for<{
    name: string;
    breakIt: (results: string) => Promise<unknown>;
    mendIt: (results: string) => Promise<unknown>;
    says: RegExp;
  }>([
    {
      name: 'full',
      breakIt: (results) => writeFile(join(results, 'ballast'), Buffer.alloc(64 * 1024 * 1024)).catch(() => undefined),
      mendIt: (results) => rm(join(results, 'ballast')),
      says: /disk is full: free some space/,
    },
    {
      name: 'readonly',
      breakIt: (results) => execa('mount', ['-o', 'remount,ro', results]),
      mendIt: (results) => execa('mount', ['-o', 'remount,rw', results]),
      says: /gone or read-only: make it writable/,
    },
  ])(
    'that becomes $name is waited for with a message that says what to do; the agent is not started again',
    async ({ name, breakIt, mendIt, says }, { onTestFinished }) => {
      const project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
      const results = join(project.folder, 'small');
      onTestFinished(async () => {
        await project.cli(['engine', 'stop', '--results', results]);
        await execa('umount', [results], { reject: false });
        await project.remove();
      });
      const gates = ['{type: file_exists, path: out.txt}'];
      const steps = [
        `run: 'echo start >> ${project.folder}/starts; until [ -e ${project.folder}/go ]; do sleep 0.05; done; echo x > out.txt'`,
      ];
      await project.write(`fixtures/${name}.yaml`, scenario(name, { gates, steps }));
      await mkdir(results);
      await execa('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', results]);
      const command = project.start(['run', name, '--results', results, '--json']);
      await untilLines(project, 'starts', 1);
      await breakIt(results);
      await project.write('go', '');
      await until('the step fails and says why', async () =>
        says.test((await lastFailure(results, name)) ?? '') ? true : null,
      );
      await mendIt(results);
      const { exitCode, stdout } = await command;
      expect(exitCode).toBe(0);
      expect(linesIn(project, 'starts')).toHaveLength(1);
      const { run } = await openRun(JSON.parse(stdout) as SweepDocument);
      expect(run.agent?.history.join('\n')).toMatch(says);
    },
  );
});

// Only Linux can limit a process that is already running.
describe.concurrent('a worker', () => {
  test.runIf(process.platform === 'linux')(
    'that runs out of memory is replaced or says what to do, and the run passes with one start of its agent',
    async ({ onTestFinished }) => {
      const project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
      onTestFinished(() => project.remove());
      const { folder } = project;
      const gates = ['{type: file_contains, path: out.txt, substring: over}'];
      const steps = [
        `run: 'echo start >> ${folder}/starts; until [ -e ${folder}/go ]; do sleep 0.05; done; echo over > out.txt; truncate -s 200M out.txt'`,
      ];
      await project.write('fixtures/hungry.yaml', scenario('hungry', { gates, steps }));
      const command = project.start(['run', 'hungry', '--json']);
      await untilLines(project, 'starts', 1);
      const worker = await until('a worker', () => partOf(project, 'worker'));
      const limit = (bytes: string): Promise<unknown> =>
        execa('prlimit', ['--pid', String(worker.pid), `--as=${bytes}:`], { reject: false });
      const [pages] = readProc(worker.pid, 'statm').split(' ');
      await limit(String(Number(pages) * 4096)); // it keeps what it has, but the gate needs 200 MB
      await project.write('go', '');
      await until('it is dead, or the step says why it failed', async () =>
        !isAlive(worker) ||
        /out of memory: lower --concurrency/.test((await lastFailure(project.results, 'hungry')) ?? '')
          ? true
          : null,
      );
      await limit('unlimited');
      const { exitCode, stdout } = await command;
      expect(exitCode).toBe(0);
      // The test cannot choose the step in which the worker dies.
      expect(JSON.parse(stdout)).toMatchObject({ cells: [{ outcome: 'pass', starts: 1 }] });
      expect(linesIn(project, 'starts')).toHaveLength(1);
    },
  );
});

/** The time without a heartbeat after which a step is performed again. */
const HEARTBEAT_MS = 8000;
/** Longer than the ten attempts of a worker's calls, which take about 20 s, and longer than HEARTBEAT_MS. */
const AWAY_MS = 30_000;

describe.concurrent('a server', () => {
  test('that is down for longer than a worker tries again and a step may send no heartbeat, while one agent ends and another keeps working, causes no lost result and no second start', async ({
    onTestFinished,
  }) => {
    const project = await createProject(EMPTY_FIXTURE, { ownServer: true });
    onTestFinished(() => project.remove());
    project.env['LLM_TOOL_TEST_LIMITS'] = JSON.stringify({ heartbeatMs: HEARTBEAT_MS });
    const names = ['ending', 'working'];
    for (const name of names) {
      const file = join(project.folder, name);
      const steps = [
        `run: 'echo start >> ${file}.starts; until [ -e ${file}.go ]; do sleep 0.1; echo sign >> ${file}.signs; done; echo over > out.txt; cp out.txt ${file}.over'`,
      ];
      const gates = ['{type: file_contains, path: out.txt, substring: over}'];
      await project.write(`fixtures/${name}.yaml`, scenario(name, { gates, steps }));
    }
    await project.write(
      'fixtures/quick.yaml',
      scenario('quick', { gates: ['{type: file_exists, path: README.md}'], steps: ["say: 'done'"] }),
    );
    const command = project.start(['run', ...names, 'quick', '--name', 'away', '--json']);
    let printed = '';
    command.stderr.on('data', (text: Buffer) => (printed += text.toString()));
    for (const name of names) await untilLines(project, `${name}.starts`, 1);
    // A command that is still starting the sweep gives up sooner than one that follows it.
    await until('the command follows the sweep', () => (printed.includes('[1/3]') ? true : null));
    const keeper = await until('a keeper', () => partOf(project, 'keeper'));
    onTestFinished(() => void signalProcess(keeper, 'SIGCONT'));
    signalProcess(keeper, 'SIGSTOP'); // so that it does not restart the server
    await kill(project, 'server');
    // The test is about an outage of this length: only here do these tests wait for a fixed time.
    const outage = sleep(AWAY_MS);
    await project.write('ending.go', '');
    await untilLines(project, 'ending.over', 1);
    const signs = linesIn(project, 'working.signs').length;
    await until('the command says that it waits', () =>
      /Temporal server does not answer .*; waiting for it/.test(printed) ? true : null,
    );
    await outage;
    expect(command.exitCode).toBeNull();
    expect(linesIn(project, 'working.signs').length).toBeGreaterThan(signs);
    expect(await partOf(project, 'server')).toBeNull();
    expect(await project.resultLines()).toMatchObject([{ scenario_id: 'quick' }]);

    signalProcess(keeper, 'SIGCONT');
    await until('another server', () => partOf(project, 'server'));
    await project.write('working.go', '');
    const { exitCode, stdout, stderr } = await command;
    expect(stderr).toContain('the Temporal server is responding again');
    expect(exitCode).toBe(0);
    const cell = { outcome: 'pass', starts: 1 };
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', cells: [cell, cell, cell] });
    for (const name of names) expect(linesIn(project, `${name}.starts`)).toHaveLength(1);
    expect((await project.resultLines()).map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass']);
    const log = readFileSync(logFile(projectState(project.results, project.state).folder, 'worker'), 'utf8');
    expect(log).toContain('retried');
    expect(log).not.toContain('\x1b'); // no colors in a file
  });
});

describe.concurrent('a frozen worker', () => {
  test('that wakes up while its successor works publishes nothing, runs no further command and leaves the agent alone', async ({
    onTestFinished,
  }) => {
    const project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
    const { folder, results } = project;
    const { id } = projectState(results);
    const state = join(project.state, id);
    // The pending polls of a frozen worker would take tasks from its successor for up to a minute. So its connections
    // are cut, as they would be on a machine that sleeps.
    const wire = await createWire(inject('temporalAddress'));
    const workers: ReturnType<TestProject['start']>[] = [];
    onTestFinished(async () => {
      for (const worker of workers) {
        worker.kill('SIGKILL');
        await worker;
      }
      for (const run of readdirSync(join(state, 'work'))) await killMarked(run);
      wire.remove();
      await project.remove();
    });
    const wait = (name: string): string =>
      `echo start >> ${folder}/${name}.starts; until [ -e ${folder}/${name}.go ]; do sleep 0.05; done`;
    const post = (command: string): string => `scripts: {post: [{command: '${command}'}]}`;
    const gates = ['{type: file_contains, path: out.txt, substring: over}'];
    const steps = [`run: 'echo over > out.txt'`];
    const waiting = (name: string): string[] => [`run: '${wait(name)}; echo over > out.txt'`];
    // Each run is in another step when the worker freezes. Three end while it is frozen; of `heard`, the transcripts
    // have more by then than the agent's output. Two are being performed by the successor when the worker wakes up.
    const ended: Record<string, ScenarioOptions> = {
      heard: { gates, steps: waiting('heard'), more: post('echo later') },
      scripted: { gates, steps, more: post(wait('scripted')) },
      checked: { gates: [`{type: command_succeeds, command: '${wait('checked')}'}`], steps },
    };
    const open: Record<string, ScenarioOptions> = {
      prepared: {
        gates,
        steps,
        more: `setup: {commands: ['${wait('prepared')}', 'echo x >> ${folder}/next']}`,
      },
      working: { gates, steps: waiting('working') },
    };
    const scenarios = Object.entries({ ...ended, ...open });
    for (const [name, options] of scenarios) await project.write(`fixtures/${name}.yaml`, scenario(name, options));
    // The command finds no server, so it only plans the sweep; the test starts it. So no keeper starts another worker.
    const names = scenarios.map(([name]) => name);
    const planned = await project.cli(['run', ...names, '--name', 'frozen', '--address', '127.0.0.1:1']);
    expect(planned.stderr).toContain('is planned but not started');
    const [sweep = ''] = readdirSync(join(results, 'sweeps'));
    const order: Omit<SweepInput, 'sweep' | 'proof'> = {
      round: 1,
      concurrency: names.length,
      caps: { agents: {}, models: {} },
      limits: { heartbeatMs: HEARTBEAT_MS },
    };
    const key = await originKey({ resultsPath: results, stateFolder: state });
    const planHash = sha256(readFileSync(planFile(results, sweep)));
    const proof = proveSweep(key, { sweep, planHash, order });
    const handle = await client.workflow.start(WORKFLOWS.sweep, {
      workflowId: sweepWorkflowId(sweep),
      taskQueue: `llm-tool-test-${id}`,
      args: [{ sweep, ...order, proof } satisfies SweepInput],
    });

    const frozen = project.startWorker(wire.address);
    workers.push(frozen);
    for (const name of names) await untilLines(project, `${name}.starts`, 1);
    const performedBy = async (pid: number | undefined): Promise<number> => {
      const { active } = await handle.query<SweepProgress>(QUERIES.progress);
      const runs = await Promise.all(active.map((run) => client.workflow.getHandle(run.workflowId).describe()));
      const steps = runs.flatMap(({ raw }) => raw.pendingActivities ?? []);
      return steps.filter(({ lastWorkerIdentity }) => lastWorkerIdentity?.startsWith(`${pid}@`)).length;
    };
    frozen.kill('SIGSTOP');
    wire.cut();

    // The server gives its steps to the successor after HEARTBEAT_MS.
    const successor = project.startWorker(inject('temporalAddress'));
    workers.push(successor);
    await until('all steps are taken over', async () =>
      (await performedBy(successor.pid)) === names.length ? true : null,
    );
    for (const name of ['scripted', 'checked', 'prepared']) await untilLines(project, `${name}.starts`, 2);
    for (const name of Object.keys(ended)) await project.write(`${name}.go`, '');
    await until('three runs are over', async () =>
      (await handle.query<SweepProgress>(QUERIES.progress)).active.length === 2 ? true : null,
    );
    const runs = readdirSync(join(state, 'work')).map((run) => join(state, 'work', run, 'steps'));
    // Without events.live.jsonl, which is there only for those who follow a run, and is removed with it: a worker that
    // is frozen between its check and its write appends to it when it wakes up.
    const files = (): Record<string, string> =>
      Object.fromEntries(
        Object.entries(filesBelow(results, ...runs.filter((run) => existsSync(run)))).filter(
          ([path]) => !path.endsWith('/events.live.jsonl'),
        ),
      );
    const before = files();
    expect(await project.resultLines()).toHaveLength(3);

    const unread = (): string[] => pipesWithoutWriter(frozen.pid ?? 0);
    expect(unread()).not.toEqual([]);
    frozen.kill('SIGCONT');
    await until('it is awake and knows that its commands have ended', () => (unread().length === 0 ? true : null));
    frozen.kill('SIGTERM');
    expect((await frozen).exitCode).toBe(0);
    expect(files()).toEqual(before);

    for (const name of Object.keys(open)) await project.write(`${name}.go`, '');
    await handle.result();
    const document = JSON.parse((await project.cli(['show', sweep, '--json'])).stdout) as SweepDocument;
    expect(document).toMatchObject({ status: 'completed', totals: { passed: 5 } });
    expect(await project.resultLines()).toHaveLength(5);
    const repeated: Record<string, string[]> = {};
    for (const cell of document.cells.keys()) {
      const { run } = await openRun(document, cell);
      repeated[run.scenario.name] = run.steps.filter(({ attempts }) => attempts > 1).map(({ name }) => name);
      if (run.scenario.name === 'working')
        expect(run.agent?.history[0]).toMatch(/^attempt 1 ended: worker out of touch after/);
    }
    expect(repeated).toEqual({
      heard: ['agent'],
      scripted: ['post 1'],
      checked: ['gate 1'],
      prepared: ['prepare'],
      working: ['agent'],
    });
    for (const name of ['heard', 'working']) expect(linesIn(project, `${name}.starts`)).toHaveLength(1);
    expect(linesIn(project, 'next')).toHaveLength(1);
    for (const worker of workers) {
      worker.kill('SIGTERM');
      expect((await worker).exitCode).toBe(0);
    }
  });
});
