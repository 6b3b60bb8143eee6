import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { InfrastructureError } from '#lib';
import { connectionOptions, type ConnectionSettings, type TemporalAddress } from './connection-options.js';
import { connectionProblem, tlsRefused, tlsProblem } from './connection-problem.js';
import { dataConverter } from '../codec/encrypting-codec.js';
import { ensureSearchAttributes, noNamespace } from './search-attributes.js';

/**
 * The longest wait between two attempts to reach a server that is away. gRPC's own limit is two minutes: a host would
 * show no sign of life for that long after the server is back, and its runs would be done again elsewhere.
 */
const RECONNECT_MS = 1000;
const FIRST_RECONNECT_MS = 50;

const LOOPBACK = /^(127\.|localhost:|\[::1\]:)/;

/**
 * Connects, or throws soon after `timeoutMs`. The caller must close the connection of the client.
 *
 * @throws UsageError if the configuration cannot be used; InfrastructureError if the server refuses us
 */
export async function connect(
  to: TemporalAddress,
  timeoutMs = 5000,
  environment: NodeJS.Dict<string> = process.env,
): Promise<Client> {
  const options = connectionOptions(to, environment);
  const { apiKey } = options;
  const connection = await Connection.connect({
    ...options,
    ...(apiKey === undefined ? {} : { apiKey: newestKey(to, apiKey, environment) }),
    connectTimeout: timeoutMs,
    channelArgs: {
      'grpc.max_reconnect_backoff_ms': RECONNECT_MS,
      // A server that is being started answers soon.
      'grpc.initial_reconnect_backoff_ms': FIRST_RECONNECT_MS,
      // The proxy in the shell's environment is for other hosts: it would connect to its own loopback interface.
      ...(LOOPBACK.test(to.address) ? { 'grpc.enable_http_proxy': 0 } : {}),
    },
  }).catch(async (error: unknown) => {
    const problem = to.external ? (connectionProblem(error) ?? (await problemOfTls(options))) : null;
    if (problem !== null)
      throw new InfrastructureError(`the Temporal server ${to.address}: ${problem}`, { cause: error });
    throw error;
  });
  return new Client({ connection, namespace: to.namespace, dataConverter: dataConverter() });
}

async function problemOfTls(options: ConnectionSettings): Promise<string | null> {
  const reason = await tlsProblem(options);
  return reason === null ? null : tlsRefused(reason);
}

/** The time that a key is used before it is looked up again, ms. */
const KEY_MS = 5000;

/** Returns the API key as it is now: it can be replaced while a command follows a sweep for days. */
function newestKey(to: TemporalAddress, first: string, environment: NodeJS.Dict<string>): () => string {
  let known = first;
  let readAt = Date.now();
  return () => {
    if (Date.now() - readAt < KEY_MS) return known;
    readAt = Date.now();
    try {
      known = connectionOptions(to, environment).apiKey ?? known;
    } catch {
      // The file is just being replaced.
    }
    return known;
  };
}

interface Limits {
  /** For connecting. */
  timeoutMs: number;
  /** For all requests of `call` together; default: as long again. */
  answerMs?: number;
  signal: AbortSignal;
  environment?: NodeJS.Dict<string>;
}

/**
 * Connects, runs `call` and closes the connection. Throws if the server does not answer in time or the signal aborts.
 */
export async function withClient<T>(
  to: TemporalAddress,
  { timeoutMs, answerMs = timeoutMs, signal, environment }: Limits,
  call: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await connect(to, timeoutMs, environment);
  const { connection } = client;
  // The SDK never removes its listener, so it gets a signal that lasts no longer than the calls.
  const ending = new AbortController();
  const end = (): void => ending.abort(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  try {
    signal.throwIfAborted();
    return await connection.withAbortSignal(ending.signal, () =>
      connection.withDeadline(Date.now() + answerMs, () => call(client)),
    );
  } finally {
    signal.removeEventListener('abort', end);
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
  if (external) await assertNamespace(client);
  await ensureSearchAttributes(client);
  if (!external) await keepForDays(client);
}

/** A code of gRPC. */
const NOT_FOUND = 5;

/** @throws UnusableNamespace if the namespace does not exist */
export async function assertNamespace({ workflowService, options: { namespace } }: Client): Promise<void> {
  try {
    await workflowService.describeNamespace({ namespace });
  } catch (error) {
    throw (error as { code?: unknown }).code === NOT_FOUND ? noNamespace(namespace) : error;
  }
}

/**
 * Returns the id of the namespace on the server that answers. Each database has its own id, so it distinguishes our
 * server from another one that has taken its port.
 */
export async function namespaceId(client: Client): Promise<string> {
  const { namespace } = client.options;
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  return namespaceInfo?.id ?? '';
}

/** Terminates a workflow, unless it has closed. */
export async function terminate(client: Client, workflowId: string, reason: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).terminate(reason);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** A code of gRPC. */
const UNIMPLEMENTED = 12;

/**
 * @throws Error if the server does not support Worker Versioning, or has it switched off. If it does not answer,
 * returns.
 */
export async function checkVersioning(client: Client, deploymentName: string): Promise<void> {
  const { namespace } = client.options;
  await client.workflowService.describeWorkerDeployment({ namespace, deploymentName }).catch((error: unknown) => {
    const { code, message } = error as { code?: number; message: string };
    if (code === UNIMPLEMENTED)
      throw new Error(
        `the Temporal server does not support Worker Versioning (${message}); hosts need server 1.28 or later`,
      );
  });
}
