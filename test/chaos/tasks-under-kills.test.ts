import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RUN_MARK } from '../../src/host/process/marked-processes.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { kill, type Part, partOf } from '../commands/engine-parts.js';
import { createProject, documentOf, openRun, type TestProject, until } from '../commands/project.js';
import { IMAGE, whyNoContainers } from '../environments/containers.js';
import { type OwnDaemon, startDaemon, whyNoDaemon } from '../environments/own-daemon.js';
import { killProcess, processesWith, readProc } from '../host/processes.js';

const lacking = whyNoDaemon();
if (lacking !== null) console.log(`no sweep of tasks under kills: ${lacking}`);

/** CHAOS_TASKS=25,10 runs 25 tasks under 10 faults, which takes about half an hour on two cores. */
const [TASKS = 3, FAULTS = 5] = (process.env['CHAOS_TASKS'] ?? '3,5').split(',').map(Number);
const AGENTS = ['oracle', 'nop'];
const REPEAT = 2;
const CELLS = TASKS * AGENTS.length * REPEAT;
const MINUTES = 5 + (CELLS + 6 * FAULTS) / 3;
const SH = '#!/bin/sh\n';
const SOLVE = '/solution/solve.sh';

const isSolving = (pid: number): boolean => readProc(pid, 'cmdline').includes(SOLVE);

/** Sees each process of this machine that solves a task, by the mark of its run. */
function watchSolutions(): { seen: Map<string, Set<string>>; stop: () => void } {
  const seen = new Map<string, Set<string>>();
  const look = (): void => {
    for (const pid of processesWith(SOLVE)) {
      const [, parent, ...fields] = readProc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
      const [, mark] = new RegExp(`(?:^|\0)${RUN_MARK}=([^\0/]*)`).exec(readProc(pid, 'environ')) ?? [];
      if (mark === undefined || isSolving(Number(parent))) continue;
      seen.set(mark, (seen.get(mark) ?? new Set()).add(`${pid} ${fields[17]}`));
    }
  };
  const timer = setInterval(look, 250);
  return { seen, stop: () => clearInterval(timer) };
}

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
    project.env['LLM_TOOL_TEST_LIMITS'] =
      '{"watchMs": 1000, "heartbeatMs": 4000, "retryMs": 2000, "serverAwayMs": 120000}';
    for (let task = 1; task <= TASKS; task += 1) {
      const write = (path: string, text: string, mode = 0o644): Promise<void> =>
        project.write(`tasks/task-${task}/${path}`, text, mode);
      const solved = `[ "$(cat /app/answer 2>/dev/null)" = ${task} ] && reward=1`;
      await write('task.toml', '');
      await write('instruction.md', `Write ${task} into /app/answer.\n`);
      await write(
        'environment/Dockerfile',
        `FROM ${IMAGE}\nWORKDIR /app\nRUN sleep 2; echo ${task} ${Date.now()} >/made\n`,
      );
      await write('solution/solve.sh', `${SH}sleep 2\necho ${task} >/app/answer\n`, 0o755);
      const tests = `${SH}sleep 1\nreward=0; ${solved}; echo $reward >/logs/verifier/reward.txt\n`;
      await write('tests/test.sh', tests, 0o755);
    }
  }, 180_000);
  afterAll(async () => {
    await (project as TestProject | undefined)?.remove();
    await (daemon as OwnDaemon | undefined)?.remove();
    if (before === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = before;
  }, 180_000);

  const docker = async (...args: string[]): Promise<string[]> =>
    (await execa('docker', args, { reject: false, timeout: 20_000 })).stdout.split('\n').filter(Boolean);
  const ended = async (): Promise<number> => (await project.resultLines()).length;

  const PARTS = { build: 'sleep 2', agent: 'solve.sh', tests: 'test.sh' };
  /** Waits until many cells have ended and a container performs a part of a run, so that there is something to lose. */
  const untilBusy = (cells: number, part: keyof typeof PARTS): Promise<true> =>
    until(
      `${part} in a container`,
      async () => {
        const count = await ended();
        if (count >= CELLS - 1) return true;
        if (count < cells) return null;
        const found = await Promise.all((await docker('ps', '--quiet')).map((id) => docker('top', id)));
        return found.flat().some((line) => line.includes(PARTS[part])) ? true : null;
      },
      MINUTES * 60_000,
    );
  const killPart = async (part: Part): Promise<void> => {
    await kill(project, part);
    await until(`another ${part}`, () => partOf(project, part), 300_000);
  };
  const killDaemon = async (): Promise<void> => {
    await daemon.kill();
    await daemon.start();
  };
  const killHost = async (): Promise<void> => {
    await kill(project, 'keeper');
    for (const part of ['worker', 'server'] as const)
      if ((await partOf(project, part)) !== null) await kill(project, part);
    await daemon.killAll();
    await daemon.start();
    await until(
      'an engine',
      async () => ((await project.start(['engine', 'start'])).exitCode === 0 ? true : null),
      300_000,
    );
  };
  const freezeWorker = async (): Promise<void> => {
    const worker = await until('a worker', () => partOf(project, 'worker'));
    killProcess(worker.pid, 'SIGSTOP');
    const another = async () => ((await partOf(project, 'worker'))?.pid ?? worker.pid) !== worker.pid;
    await until('another worker', async () => ((await another()) ? true : null), 300_000);
  };
  const faults: readonly [string, keyof typeof PARTS, () => Promise<void>][] = [
    ['the worker is killed while an agent works', 'agent', () => killPart('worker')],
    ['the daemon is killed while an agent works', 'agent', killDaemon],
    ['the server is killed while tests run', 'tests', () => killPart('server')],
    ['everything is killed while an agent works, as the end of the machine does', 'agent', killHost],
    ['the worker freezes while tests run', 'tests', freezeWorker],
    ['the worker is killed while tests run', 'tests', () => killPart('worker')],
    ['the daemon is killed while an image is built', 'build', killDaemon],
    ['the server is killed while an agent works', 'agent', () => killPart('server')],
    ['everything is killed while tests run', 'tests', killHost],
    ['the daemon is killed while tests run', 'tests', killDaemon],
  ];

  test(
    'has one result a cell under kills of worker, server, daemon and machine, and leaves no container',
    async () => {
      const solutions = watchSolutions();
      const options = ['--agents', AGENTS.join(','), '--repeat', String(REPEAT), '--concurrency', '3'];
      const command = project.start(['run', 'tasks', ...options, '--name', 'kills', '--detach', '--json']);
      expect((await command).exitCode).toBe(0);
      const startedAt = Date.now();
      for (let at = 0; at < FAULTS; at += 1) {
        const [name, part, cause] = faults[at % faults.length] ?? ['', 'agent', () => Promise.resolve()];
        await untilBusy(Math.floor((at * CELLS) / (FAULTS + 1)), part);
        console.log(`${Math.round((Date.now() - startedAt) / 1000)} s: ${await ended()} of ${CELLS} ended: ${name}`);
        await cause();
      }
      const { stdout, stderr } = await project.start(['resume', 'kills', '--json']);
      solutions.stop();
      console.log(`${Math.round((Date.now() - startedAt) / 1000)} s: the sweep has ended`);
      const document = documentOf(stdout);
      expect(document.cells, stderr).toHaveLength(CELLS);
      const lines = (await project.resultLines()).map(({ cell }) => cell);
      expect(lines.sort()).toEqual(document.cells.map(({ id }) => id).sort());
      const wrong: unknown[] = [];
      for (const [at, { id, agent, outcome, message }] of document.cells.entries()) {
        const { run } = await openRun(document, at);
        const { starts = 0, history = [] } = run.agent ?? {};
        const seen = solutions.seen.get(opaqueId(run.run_id))?.size ?? 0;
        // A start is lost with its process, or with the container in which an attempt fails.
        const reasons = history.filter((line) => /start \d+ of the agent was lost|^attempt \d+ ended: /.test(line));
        if (seen > 1 || starts > 1)
          console.log(`${id}: ${seen} starts seen, ${starts} recorded: ${history.join('; ')}`);
        // A kill may cost starts, which the record counts. It never changes the verdict.
        if (outcome !== (agent === 'oracle' ? 'pass' : 'fail')) wrong.push([id, outcome, message]);
        if (seen > starts || starts - 1 > reasons.length) wrong.push([id, { seen, starts, history }]);
      }
      expect(wrong).toEqual([]);
      // On a busy machine one may end unseen.
      expect(solutions.seen.size).toBeGreaterThan(CELLS / 8);
      expect(await docker('ps', '--all', '--format', '{{.ID}} {{.Names}} {{.Status}}')).toEqual([]);
      expect(await docker('network', 'ls', '--filter', 'type=custom', '--quiet')).toEqual([]);
    },
    MINUTES * 60_000,
  );
});
