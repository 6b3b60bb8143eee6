import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readEngineState } from '../../src/engine/engine-state.js';
import { findTemporal } from '../../src/engine/find-temporal.js';
import { anyFreePort, LOOPBACK, startServer, waitForExit } from '../../src/engine/server.js';
import { projectState } from '../../src/host/folders.js';
import { signalProcess } from '../../src/host/process/process-identity.js';
import { kill, partOf } from '../commands/engine-parts.js';
import { collectStderr } from '../chaos/small-disks.js';
import { letGo, startsOf, untilStarted, writeGated } from '../commands/gated.js';
import { createProject, documentOf, EMPTY_FIXTURE, until } from '../commands/project.js';

const LIMITS = JSON.stringify({ workerConnectMs: 20_000, engineRetryMs: 500 });
/**
 * Longer than a worker retries by itself under these limits, and than a keeper may fail before it has been ready: five
 * times 5 s.
 */
const AWAY_MS = 31_000;

for (const how of ['TEMPORAL_ADDRESS', '--address'])
  test.concurrent(
    `the keeper keeps trying while a given server (${how}) is down for longer than it may take to start, and the agent is adopted afterwards`,
    async ({ onTestFinished }) => {
      const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-away-'));
      const ports = { port: await anyFreePort(), uiPort: await anyFreePort() };
      const address = `${LOOPBACK}:${ports.port}`;
      const temporal = await findTemporal(() => undefined);
      const start = (): ReturnType<typeof startServer> => startServer(temporal, folder, ports, () => undefined);
      let server = await start();
      const project = await createProject(EMPTY_FIXTURE, { ownServer: true });
      onTestFinished(async () => {
        await project.remove();
        signalProcess(server, 'SIGKILL');
        await waitForExit(server, 10_000);
        await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      });
      const given = how === '--address' ? ['--address', address] : [];
      const env: Record<string, string> = {
        LLM_TOOL_TEST_LIMITS: LIMITS,
        ...(how === '--address' ? {} : { TEMPORAL_ADDRESS: address }),
      };
      await writeGated(project, 'working');
      const command = project.start(['run', 'working', '--json', ...given], env);
      const output = collectStderr(command);
      await untilStarted(project, 'working');
      const keeper = await until('a keeper', () => partOf(project, 'keeper'));

      signalProcess(server, 'SIGKILL');
      // The test is about an outage of this length.
      const outage = sleep(AWAY_MS);
      await kill(project, 'worker');
      await until('the command says what it waits for', () =>
        /the Temporal server does not answer \(.*\); waiting for it/.test(output()) ? true : null,
      );
      await until('the keeper has tried to bring a worker up', async () => {
        const state = await readEngineState(projectState(project.results, project.state).folder);
        return state?.failing?.message.includes(`Temporal server ${address} does not answer`) === true ? true : null;
      });
      await outage;
      expect(command.exitCode).toBeNull();
      expect(await partOf(project, 'keeper')).toEqual(keeper);

      server = await start();
      await until('another worker', () => partOf(project, 'worker'));
      await letGo(project, 'working');
      const { exitCode, stdout, stderr } = await command;
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
      expect(stderr).toContain('the Temporal server is responding again');
      expect(documentOf(stdout).cells).toMatchObject([{ outcome: 'pass', starts: 1 }]);
      expect(startsOf(project, 'working')).toBe(1);
      expect(await partOf(project, 'keeper')).toEqual(keeper);
    },
  );
