import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../lib/search-attributes.js';
import type { TemporalAddress } from './given-temporal.js';

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

/**
 * Makes the server fit: our search attributes exist, and finished workflows are kept for 30 days (a namespace that the
 * development server makes keeps them for one). On a given server this needs rights; what is there already is enough.
 */
export async function prepareNamespace(client: Client, external: boolean): Promise<void> {
  const { namespace } = client.options;
  const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => customAttributes[name] === undefined);
  if (missing.length > 0) {
    const { IndexedValueType } = proto.temporal.api.enums.v1;
    await client.connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(
        missing.map(([name, type]) => [name, IndexedValueType[`INDEXED_VALUE_TYPE_${type}`]]),
      ),
    });
  }
  if (external) return;
  await client.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: msToTs('30 days') },
  });
}
