import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killMarked, markedProcesses } from '../../src/host/process/marked-processes.js';
import { isAlive } from '../../src/host/process/process-identity.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { letGo, untilStarted } from '../commands/gated.js';
import { createProject, documentOf, EMPTY_FIXTURE, openRun, until, type TestProject } from '../commands/project.js';
import { kill, linesIn, partOf, runsOf } from '../commands/engine-parts.js';
import { killProcess } from '../host/processes.js';
import { createNewerBuild } from '../long/hosts/newer-build.js';
import { expectWhole, writeWaiting } from './waiting-agent.js';

let project: TestProject;

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE, { ownServer: true });
});
afterAll(() => project.remove());

describe('SIGKILL', () => {
  test('of the server restarts it, and the sweep continues without disturbing the agent', async () => {
    await writeWaiting(project, 'serverless');
    const command = project.start(['run', 'serverless', '--json', '--name', 'serverless']);
    await untilStarted(project, 'serverless');
    await kill(project, 'server');
    await until('another server', () => partOf(project, 'server'));
    await letGo(project, 'serverless');
    await command;
    const { exitCode, stdout } = await project.cli(['resume', 'serverless', '--json']);
    expect(exitCode).toBe(0);
    expect(linesIn(project, 'serverless.starts')).toHaveLength(1);
    await expectWhole(project, documentOf(stdout));
  });

  test('of the keeper does not prevent the end of the sweep, and the next command starts a new keeper', async () => {
    await writeWaiting(project, 'unkept');
    const command = project.start(['run', 'unkept', '--json']);
    await untilStarted(project, 'unkept');
    await kill(project, 'keeper');
    await letGo(project, 'unkept');
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(0);
    await expectWhole(project, documentOf(stdout));
    expect(await partOf(project, 'keeper')).toBeNull();
    await project.cli(['engine', 'start']);
    expect(await partOf(project, 'keeper')).not.toBeNull();
  });

  test('of all parts and agents at once lets the next command continue the sweep, and the report shows the repeated start', async () => {
    await writeWaiting(project, 'blackout');
    const command = project.start(['run', 'blackout', '--name', 'blackout']);
    await untilStarted(project, 'blackout');
    const parts = await Promise.all((['keeper', 'worker', 'server'] as const).map((part) => partOf(project, part)));
    const run = opaqueId(runsOf(project, 'blackout')[0] ?? '');
    for (const pid of [...parts.map((part) => part?.pid ?? 0), ...markedProcesses(run)]) killProcess(pid);
    command.kill('SIGKILL');
    await command;
    await until('all are dead', () => (parts.some((part) => part !== null && isAlive(part)) ? null : true));
    await killMarked(run); // processes that were forked after the list was made
    expect(markedProcesses(run)).toEqual([]);
    await letGo(project, 'blackout');
    const { exitCode, stdout } = await project.cli(['resume', 'blackout', '--json']);
    expect(exitCode).toBe(0);
    expect(linesIn(project, 'blackout.starts')).toHaveLength(2);
    const document = documentOf(stdout);
    expect(document.cells[0]?.starts).toBe(2);
    const history = await expectWhole(project, document);
    expect(history.join('\n')).toMatch(
      /start 1 of the agent was lost without an exit status\nstart 2 of the agent began in a fresh/,
    );
    const { text } = await openRun(document);
    expect(await text('attempts/start-1/transcript.raw.txt')).toContain('before the wait');
    expect(await text('report.md')).toContain('worker lost after');
  });
});

describe('an update', () => {
  test('in the middle of a sweep replaces the worker, which adopts the agent; from then on the older build is refused', async () => {
    const newer = await createNewerBuild(join(project.state, 'newer'));
    const withNewer = (...args: string[]) =>
      execa(process.execPath, [newer, ...args], { cwd: project.folder, env: project.env, reject: false });
    await writeWaiting(project, 'upgraded');
    const command = project.start(['run', 'upgraded', '--name', 'upgraded', '--json']);
    await untilStarted(project, 'upgraded');
    const before = await partOf(project, 'worker');
    const upgraded = withNewer('resume', 'upgraded', '--json');
    await until('the old worker has ended', () => (before !== null && isAlive(before) ? null : true));
    await letGo(project, 'upgraded');
    const { exitCode, stdout } = await upgraded;
    expect(exitCode).toBe(0);
    expect(linesIn(project, 'upgraded.starts')).toHaveLength(1);
    await expectWhole(project, documentOf(stdout));
    expect((await command).exitCode).toBe(0);

    const refused = await project.cli(['run', 'upgraded']);
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toMatch(/was used by a newer llm-tool-test [^]*Use the newer version/);
    expect(linesIn(project, 'upgraded.starts')).toHaveLength(1);
    expect((await withNewer('run', 'upgraded', '--no-cache', '--json')).exitCode).toBe(0);
  });
});
