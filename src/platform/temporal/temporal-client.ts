import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { TemporalAddress } from './resolve-temporal-address.js';
import { ensureSearchAttributes } from './search-attributes.js';

const LOOPBACK = /^(127\.|localhost:|\[::1\]:)/;

/** Connects, or throws within `timeoutMs`. Close the client's connection after use. */
export async function connect(to: TemporalAddress, timeoutMs = 5000): Promise<Client> {
  const options = to.external ? loadClientConnectConfig().connectionOptions : {};
  const connection = await Connection.connect({
    ...options,
    address: to.address,
    connectTimeout: timeoutMs,
    // A proxy that the shell names is for the world outside, where this machine's loopback is another one.
    ...(LOOPBACK.test(to.address) ? { channelArgs: { 'grpc.enable_http_proxy': 0 } } : {}),
  });
  return new Client({ connection, namespace: to.namespace });
}

/** Connects, asks and closes the connection. Throws when the server is not there in time, or the signal comes. */
export async function withClient<T>(
  to: TemporalAddress,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  ask: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await connect(to, timeoutMs);
  try {
    signal.throwIfAborted();
    return await client.connection.withAbortSignal(signal, () => ask(client));
  } finally {
    await client.connection.close();
  }
}

/** Finished workflows are kept for 30 days: a namespace that the development server makes keeps them for one. */
async function keepForDays(client: Client): Promise<void> {
  await client.workflowService.updateNamespace({
    namespace: client.options.namespace,
    config: { workflowExecutionRetentionTtl: msToTs('30 days') },
  });
}

/** Makes the server fit. On a given server search attributes that are there already are enough. @throws UnfitNamespace */
export async function prepareNamespace(client: Client, external: boolean): Promise<void> {
  await ensureSearchAttributes(client);
  if (!external) await keepForDays(client);
}
