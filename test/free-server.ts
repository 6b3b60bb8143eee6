import { logFile } from '../src/engine/engine-state.js';
import { findTemporal } from '../src/engine/find-temporal.js';
import { anyFreePort, LOOPBACK, readTail, startServer, waitForExit } from '../src/engine/server.js';
import { isAlive, signalProcess, type ProcessIdentity } from '../src/host/process/process-identity.js';
import { waitUntil } from '../src/host/process/waiting.js';
import { connect, prepareNamespace } from '../src/engine/temporal/temporal-client.js';

const START_MS = 60_000;
const STOP_MS = 10_000;
/** Another program may take a port between its choice and its use. */
const STARTS = 3;

export interface FreeServer {
  port: number;
  uiPort: number;
  server: ProcessIdentity;
}

/** Starts a Temporal server on free ports, with its database in the folder, and waits until it answers. */
export async function startOnFreePorts(folder: string, record: (server: ProcessIdentity) => void): Promise<FreeServer> {
  const temporal = await findTemporal((text) => console.log(text));
  for (let attempt = 1; attempt <= STARTS; attempt += 1) {
    const ports = { port: await anyFreePort(), uiPort: await anyFreePort() };
    const server = await startServer(temporal, folder, ports, record);
    if (await isReady(server, `${LOOPBACK}:${ports.port}`)) return { ...ports, server };
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
