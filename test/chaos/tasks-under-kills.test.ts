import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, type TestProject } from '../commands/project.js';
import { IMAGE, whyNoContainers } from '../environments/containers.js';
import { type OwnDaemon, startDaemon, whyNoDaemon } from '../environments/own-daemon.js';
import { freezeWorker, killEngine, killPart, sweepUnderFaults } from './under-kills.js';

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
  const PARTS = { build: 'sleep 2', agent: 'solve.sh', tests: 'test.sh' };
  /** True if a container performs a part of a run, so that there is something to lose. */
  const isIn = async (part: keyof typeof PARTS): Promise<boolean> => {
    const found = await Promise.all((await docker('ps', '--quiet')).map((id) => docker('top', id)));
    return found.flat().some((line) => line.includes(PARTS[part]));
  };
  const killDaemon = async (): Promise<void> => {
    await daemon.kill();
    await daemon.start();
  };
  const killHost = (): Promise<void> =>
    killEngine(project, async () => {
      await daemon.killAll();
      await daemon.start();
    });
  const faults: readonly [string, keyof typeof PARTS, () => Promise<void>][] = [
    ['the worker is killed while an agent works', 'agent', () => killPart(project, 'worker')],
    ['the daemon is killed while an agent works', 'agent', killDaemon],
    ['the server is killed while tests run', 'tests', () => killPart(project, 'server')],
    ['everything is killed while an agent works, as the end of the machine does', 'agent', killHost],
    ['the worker freezes while tests run', 'tests', () => freezeWorker(project)],
    ['the worker is killed while tests run', 'tests', () => killPart(project, 'worker')],
    ['the daemon is killed while an image is built', 'build', killDaemon],
    ['the server is killed while an agent works', 'agent', () => killPart(project, 'server')],
    ['everything is killed while tests run', 'tests', killHost],
    ['the daemon is killed while tests run', 'tests', killDaemon],
  ];

  test(
    'has one result a cell under kills of worker, server, daemon and machine, and leaves no container',
    async () => {
      const options = ['--agents', AGENTS.join(','), '--repeat', String(REPEAT), '--concurrency', '3'];
      const { cells } = await sweepUnderFaults(project, {
        args: ['tasks', ...options],
        cells: CELLS,
        count: FAULTS,
        faults,
        isIn,
        agent: SOLVE,
        minutes: MINUTES,
      });
      // A kill may cost starts, which the record counts. It never changes the verdict.
      const wrong = cells.filter(({ agent, outcome }) => outcome !== (agent === 'oracle' ? 'pass' : 'fail'));
      expect(wrong.map(({ id, outcome, message }) => [id, outcome, message])).toEqual([]);
      expect(await docker('ps', '--all', '--format', '{{.ID}} {{.Names}} {{.Status}}')).toEqual([]);
      expect(await docker('network', 'ls', '--filter', 'type=custom', '--quiet')).toEqual([]);
    },
    MINUTES * 60_000,
  );
});
