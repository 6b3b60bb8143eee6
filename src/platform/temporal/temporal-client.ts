import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { msToTs } from '@temporalio/common/lib/time.js';
import { dataConverter } from '../codec/data-converter.js';
import type { TemporalAddress } from './resolve-temporal-address.js';
import { ensureSearchAttributes } from './search-attributes.js';

const LOOPBACK = /^(127\.|localhost:|\[::1\]:)/;

/** Connects, or throws within `timeoutMs`. The caller must close the connection of the client. */
export async function connect(to: TemporalAddress, timeoutMs = 5000): Promise<Client> {
  const options = to.external ? loadClientConnectConfig().connectionOptions : {};
  const connection = await Connection.connect({
    ...options,
    address: to.address,
    connectTimeout: timeoutMs,
    // The proxy in the shell's environment is for other hosts: it would connect to its own loopback interface.
    ...(LOOPBACK.test(to.address) ? { channelArgs: { 'grpc.enable_http_proxy': 0 } } : {}),
  });
  return new Client({ connection, namespace: to.namespace, dataConverter: dataConverter() });
}

interface Limits {
  /** For connecting. */
  timeoutMs: number;
  /** For all requests of `ask` together; default: as long again. */
  answerMs?: number;
  signal: AbortSignal;
}

/**
 * Connects, calls `ask` and closes the connection. Throws if the server does not answer in time or the signal aborts.
 */
export async function withClient<T>(
  to: TemporalAddress,
  { timeoutMs, answerMs = timeoutMs, signal }: Limits,
  ask: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await connect(to, timeoutMs);
  const { connection } = client;
  try {
    signal.throwIfAborted();
    return await connection.withAbortSignal(signal, () =>
      connection.withDeadline(Date.now() + answerMs, () => ask(client)),
    );
  } finally {
    await connection.close();
  }
}

/** Keeps finished workflows for 30 days. In a namespace of the development server, the default is one day. */
async function keepForDays(client: Client): Promise<void> {
  await client.workflowService.updateNamespace({
    namespace: client.options.namespace,
    config: { workflowExecutionRetentionTtl: msToTs('30 days') },
  });
}

/**
 * Prepares a namespace for us. On an external server, only the search attributes are needed.
 *
 * @throws UnusableNamespace
 */
export async function prepareNamespace(client: Client, external: boolean): Promise<void> {
  await ensureSearchAttributes(client);
  if (!external) await keepForDays(client);
}
