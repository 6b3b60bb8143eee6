import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { stopEngine } from '../src/engine/ensure-engine.js';
import { LOOPBACK, waitForExit } from '../src/engine/server.js';
import { signalProcess, type ProcessIdentity } from '../src/host/process/process-identity.js';
import { startOnFreePorts } from './free-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    temporalAddress: string;
    /** The Web UI, which also serves Temporal's HTTP API. */
    temporalUi: string;
    /** A folder for projects with engines that test files share; the engines are stopped at the end. */
    places: string;
  }
}

const STOP_MS = 10_000;

/**
 * One Temporal server for all test files, on its own ports, with its database in a temporary folder. At the end, the
 * engines that test files share are stopped, too.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-temporal-'));
  const places = await mkdtemp(join(tmpdir(), 'llm-tool-test-'));
  const started: ProcessIdentity[] = [];
  // The server is detached, and vitest can end without a teardown.
  const abandon = (): void => {
    started.forEach((server) => signalProcess(server, 'SIGKILL'));
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once('exit', abandon);
  const stop = async (): Promise<void> => {
    await stopEngines(places);
    for (const server of started) {
      signalProcess(server, 'SIGTERM');
      if (!(await waitForExit(server, STOP_MS))) signalProcess(server, 'SIGKILL');
    }
    process.off('exit', abandon);
    for (const path of [folder, places]) await rm(path, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const ports = await startOnFreePorts(folder, (server) => {
      started.push(server);
    });
    project.provide('temporalAddress', `${LOOPBACK}:${ports.port}`);
    project.provide('places', places);
    project.provide('temporalUi', `http://${LOOPBACK}:${ports.uiPort}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

/** See test/commands/places.ts. */
async function stopEngines(places: string): Promise<void> {
  for (const home of (await readdir(places)).filter((name) => name.startsWith('state-')))
    for (const id of await readdir(join(places, home))) await stopEngine(join(places, home, id));
}
