import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kill, type Part, partOf } from '../commands/engine-parts.js';
import { createProject, documentOf, openRun, type TestProject, until } from '../commands/project.js';
import { IMAGE, whyNoContainers } from '../environments/containers.js';
import { type OwnDaemon, startDaemon, whyNoDaemon } from '../environments/own-daemon.js';

const lacking = whyNoDaemon();
if (lacking !== null) console.log(`no sweep of tasks under kills: ${lacking}`);

const AGENTS = ['oracle', 'nop'];
const REPEAT = 2;
const TASKS = Number(process.env['LONG_TASKS'] ?? 3);
const FAULTS = Number(process.env['LONG_FAULTS'] ?? 5);
const SEED = Number(process.env['LONG_SEED'] ?? 1);

const SH = '#!/bin/sh\n';

describe.skipIf(lacking !== null)('a sweep of tasks', () => {
  let daemon: OwnDaemon;
  let project: TestProject;
  const before = process.env['DOCKER_HOST'];

  beforeAll(async () => {
    daemon = await startDaemon();
    process.env['DOCKER_HOST'] = daemon.host;
    expect(await whyNoContainers('docker')).toBeNull();
    project = await createProject({}, { ownServer: true });
    project.env['DOCKER_HOST'] = daemon.host;
    project.env['LLM_TOOL_TEST_LIMITS'] = '{"watchMs": 1000, "heartbeatMs": 4000, "retryMs": 2000}';
    for (let task = 1; task <= TASKS; task += 1) {
      const write = (path: string, text: string, mode = 0o644): Promise<void> =>
        project.write(`tasks/task-${task}/${path}`, text, mode);
      await write('task.toml', '');
      await write('instruction.md', `Write ${task} into /app/answer.\n`);
      await write(
        'environment/Dockerfile',
        `FROM ${IMAGE}\nWORKDIR /app\nRUN sleep 2; echo ${task} ${Date.now()} >/made\n`,
      );
      await write('solution/solve.sh', `${SH}sleep 2\necho ${task} >/app/answer\n`, 0o755);
      const solved = `[ "$(cat /app/answer 2>/dev/null)" = ${task} ] && reward=1`;
      await write(
        'tests/test.sh',
        `${SH}sleep 1\nreward=0; ${solved}; echo $reward >/logs/verifier/reward.txt\n`,
        0o755,
      );
    }
  }, 180_000);
  afterAll(async () => {
    await (project as TestProject | undefined)?.remove();
    await (daemon as OwnDaemon | undefined)?.remove();
    if (before === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = before;
  }, 180_000);

  const docker = (...args: string[]): string[] =>
    spawnSync('docker', args, { encoding: 'utf8', timeout: 20_000 }).stdout.split('\n').filter(Boolean);
  const ended = async (): Promise<number> => (await project.resultLines()).length;

  /** Waits for a container of a run, so that there is something to lose, unless all runs have ended. */
  const untilBusy = (cells: number): Promise<true> =>
    until('a container', async () =>
      docker('ps', '--quiet', '--filter', 'label=llm-tool-test').length > 0 || (await ended()) === cells ? true : null,
    );
  const killPart = async (part: Part): Promise<void> => {
    await kill(project, part);
    await until(`another ${part}`, () => partOf(project, part));
  };
  const faults: readonly [string, () => Promise<void>][] = [
    ['the worker is killed', () => killPart('worker')],
    [
      'the daemon is killed',
      async () => {
        await daemon.kill();
        await daemon.start();
      },
    ],
    ['the server is killed', () => killPart('server')],
    [
      'everything is killed, as the end of the machine does',
      async () => {
        await kill(project, 'keeper');
        for (const part of ['worker', 'server'] as const)
          if ((await partOf(project, part)) !== null) await kill(project, part);
        await daemon.killAll();
        await daemon.start();
        expect((await project.cli(['engine', 'start'])).exitCode).toBe(0);
      },
    ],
    [
      'the worker freezes',
      async () => {
        const worker = await until('a worker', () => partOf(project, 'worker'));
        process.kill(worker.pid, 'SIGSTOP');
        await until('another worker', async () => {
          const now = await partOf(project, 'worker');
          return now !== null && now.pid !== worker.pid ? true : null;
        });
      },
    ],
  ];

  test('has one result a cell under kills of worker, server, daemon and machine, and leaves no container', async () => {
    const cells = TASKS * AGENTS.length * REPEAT;
    const options = ['--agents', AGENTS.join(','), '--repeat', String(REPEAT), '--concurrency', '3', '--name', 'kills'];
    const command = project.start(['run', 'tasks', ...options, '--detach', '--json']);
    expect((await command).exitCode).toBe(0);
    for (let at = 0; at < FAULTS; at += 1) {
      await untilBusy(cells);
      const [name, cause] = faults[(at + SEED - 1) % faults.length] ?? ['', () => Promise.resolve()];
      console.log(`${await ended()} of ${cells} ended: ${name}`);
      await cause();
    }
    const { stdout, stderr } = await project.start(['resume', 'kills', '--json']);
    const document = documentOf(stdout);
    expect(document.cells, stderr).toHaveLength(cells);
    const lines = (await project.resultLines()).map(({ cell }) => cell);
    expect(lines.sort()).toEqual(document.cells.map(({ id }) => id).sort());
    for (const [at, { agent, outcome, message }] of document.cells.entries()) {
      const { run } = await openRun(document, at);
      const wanted = agent === 'oracle' ? 'pass' : 'fail';
      // Whatever a kill has cost is said, and never a verdict about the task.
      expect([agent, outcome === 'error' ? 'error' : wanted, message]).toEqual([agent, outcome, message]);
      const starts = run.starts ?? 0;
      expect(starts).toBeLessThanOrEqual(3);
      console.log(`${agent} ${outcome} starts ${starts}: ${message}`);
    }
    expect(document.cells.filter(({ outcome }) => outcome === 'error')).toEqual([]);
    expect(docker('ps', '--all', '--quiet')).toEqual([]);
    expect(docker('network', 'ls', '--filter', 'type=custom', '--quiet')).toEqual([]);
  }, 900_000);
});
