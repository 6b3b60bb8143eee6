import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { logFile } from '../src/platform/engine/engine-state.js';
import { stopEngine } from '../src/platform/engine/ensure-engine.js';
import { findTemporal } from '../src/platform/engine/find-temporal.js';
import { anyFreePort, LOOPBACK, startServer, readTail, waitForExit } from '../src/platform/engine/server.js';
import { isAlive, signalProcess, type ProcessIdentity } from '../src/platform/process/process-identity.js';
import { connect, prepareNamespace } from '../src/platform/temporal/temporal-client.js';
import { waitUntil } from '../src/platform/process/wait-until.js';

declare module 'vitest' {
  interface ProvidedContext {
    temporalAddress: string;
    /** The Web UI, which also serves Temporal's HTTP API. */
    temporalUi: string;
    /** A folder for projects with engines that test files share; the engines are stopped at the end. */
    places: string;
  }
}

const START_MS = 60_000;
const STOP_MS = 10_000;
/** Another program may take a port between its choice and its use. */
const STARTS = 3;

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
    const ports = await start(folder, started);
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

async function start(folder: string, started: ProcessIdentity[]): Promise<{ port: number; uiPort: number }> {
  const temporal = await findTemporal((text) => console.log(text));
  for (let attempt = 1; attempt <= STARTS; attempt += 1) {
    const ports = { port: await anyFreePort(), uiPort: await anyFreePort() };
    const server = await startServer(temporal, folder, ports, (process) => {
      started.push(process);
    });
    if (await isReady(server, `${LOOPBACK}:${ports.port}`)) return ports;
    signalProcess(server, 'SIGKILL');
    await waitForExit(server, STOP_MS);
  }
  throw new Error(`the Temporal server does not start:\n${await readTail(logFile(folder, 'server'))}`);
}

async function isReady(server: ProcessIdentity, address: string): Promise<boolean> {
  const ready = await waitUntil(async () => {
    if (!isAlive(server)) return false;
    try {
      const client = await connect({ address, namespace: 'default', external: false }, 2000);
      try {
        await prepareNamespace(client, false);
      } finally {
        await client.connection.close();
      }
      return true;
    } catch {
      return null;
    }
  }, START_MS);
  return ready ?? false;
}
