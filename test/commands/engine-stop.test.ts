import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anyFreePort } from '../../src/engine/server.js';
import { projectState } from '../../src/host/folders.js';
import { identify } from '../../src/host/process/process-identity.js';
import { partOf, preferPort } from './engine-parts.js';
import { allGone, uniqueSeconds } from '../host/processes.js';
import { createProject, until, type TestProject } from './project.js';

/** Starts the engine, waits for a state and stops it. The starting command is killed, or it would start it again. */
async function stopWhile(
  project: TestProject,
  env: Record<string, string>,
  what: string,
  isSo: () => boolean,
): Promise<void> {
  const start = project.start(['engine', 'start'], env);
  await until(what, () => (isSo() ? true : null));
  start.kill('SIGKILL');
  await start;
  const { exitCode, stdout } = await project.cli(['engine', 'stop', '--json']);
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, { stopped: true }]);
  expect(await partOf(project, 'keeper')).toBeNull();
}

describe.concurrent('engine stop', () => {
  test('ends a keeper that waits for its server, and the server', async ({ onTestFinished }) => {
    const project = await createProject({}, { ownServer: true });
    onTestFinished(() => project.remove());
    const seconds = uniqueSeconds();
    await project.write(
      'temporal',
      `#!/bin/sh\n[ "$1" = server ] || exit 0\ntouch ${project.folder}/begun\nexec sleep ${seconds}\n`,
      0o755,
    );
    // No other engine may answer in its place or wait for its port.
    await preferPort(project, await anyFreePort());
    const env = {
      LLM_TOOL_TEST_TEMPORAL_BIN: join(project.folder, 'temporal'),
      LLM_TOOL_TEST_CACHE: join(project.folder, 'cache'),
    };
    await stopWhile(project, env, 'a server that does not answer', () => existsSync(join(project.folder, 'begun')));
    expect(await allGone(seconds)).toBe(true);
  });

  test('ends a keeper that waits for the Temporal CLI, and its download', async ({ onTestFinished }) => {
    const project = await createProject({}, { ownServer: true });
    let asked = false;
    const proxy = createServer(() => (asked = true)).listen(0, '127.0.0.1');
    onTestFinished(async () => {
      proxy.close();
      await project.remove();
    });
    await once(proxy, 'listening');
    const address = proxy.address();
    const url = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : ''}`;
    const cache = join(project.folder, 'cache');
    const env = {
      LLM_TOOL_TEST_CACHE: cache,
      LLM_TOOL_TEST_TEMPORAL_BIN: '',
      PATH: '/usr/bin:/bin',
      HTTPS_PROXY: url,
      https_proxy: url,
    };
    await stopWhile(project, env, 'a download that gets no answer', () => asked);
    expect(await allGone(cache)).toBe(true);
  });

  test('exits with 3 if the engine does not end, and says what to do', async ({ onTestFinished }) => {
    const project = await createProject({}, { ownServer: true });
    const deaf = spawn('sh', ['-c', 'trap "" TERM; echo deaf; while :; do sleep 0.1; done'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(async () => {
      deaf.kill('SIGKILL');
      await project.remove();
    });
    await once(deaf.stdout, 'data');
    const { folder } = projectState(project.results, project.state);
    await mkdir(folder);
    await writeFile(join(folder, 'engine.lock.1'), JSON.stringify(identify(deaf.pid ?? 0)));
    const limits = { LLM_TOOL_TEST_LIMITS: JSON.stringify({ engineStopMs: 1000 }) };
    const { exitCode, stderr } = await project.cli(['engine', 'stop'], limits);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`the engine is still stopping (pid ${deaf.pid})`);
    expect(stderr).toContain(`kill -KILL ${deaf.pid}`);

    deaf.kill('SIGKILL');
    await once(deaf, 'exit');
    const after = await project.cli(['engine', 'stop', '--json']);
    expect([after.exitCode, JSON.parse(after.stdout)]).toEqual([0, { stopped: false }]);
  });
});
