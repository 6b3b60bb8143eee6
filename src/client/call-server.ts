import { setTimeout as sleep } from 'node:timers/promises';
import {
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import { namespaceId, type ProjectServer } from '#engine';
import { ownCommand } from '#host';
import { InfrastructureError, type Limits } from '#lib';

const CALL_MS = 10_000;
const PROBE_MS = 5000;
export const PAUSE_MS = 500;

/** A connection to the engine's server. */
export interface ServerConnection {
  /** Connected to the current address of the server: read it again for each call. */
  readonly client: Client;
  readonly engine: ProjectServer;
  readonly limits: Pick<Limits, 'serverAwayMs'>;
  /**
   * Connects to the address that the engine's server has now. It changes if another program took its port while it was
   * down.
   */
  followServer(): Promise<void>;
}

interface CallOptions {
  /** Time limit of one attempt. */
  callMs?: number;
  /** The time that the server may be unreachable; otherwise as long as the limits of the connection say. */
  awayMs?: number;
  /** The answer may take any time (a result, for example). The server only counts as away if it answers no call. */
  mayTakeLong?: boolean;
  /** Called with the reason when the server is found to be away, and with null when it is back. */
  onAway?: (reason: string | null) => void;
}

/** For calls that take an unknown time, for example to wait for a sweep's result. */
export const LONG_CALL = { callMs: 20_000, mayTakeLong: true } as const satisfies CallOptions;

/**
 * Calls the Temporal server, and repeats the call while it does not answer. Each attempt has a deadline, without which
 * a frozen server would block a command forever. The call must be safe to repeat.
 *
 * @throws InfrastructureError if the server is away for too long
 */
export async function callServer<T>(
  session: ServerConnection,
  call: (client: Client) => Promise<T>,
  options: CallOptions = {},
): Promise<T> {
  const { awayMs = session.limits.serverAwayMs, mayTakeLong = false, onAway } = options;
  const callMs = options.callMs ?? Math.min(CALL_MS, session.limits.serverAwayMs);
  let awaySince: number | null = null;
  const back = (): void => {
    if (awaySince !== null) onAway?.(null);
    awaySince = null;
  };
  for (;;) {
    const calledAt = Date.now();
    const { client, engine } = session;
    try {
      // While the server is away, a call that may take long would take its whole time to fail.
      if (awaySince !== null) await probe(client);
      const answer = await client.withDeadline(calledAt + callMs, () => call(client));
      back();
      return answer;
    } catch (caught) {
      const isOther = caught instanceof WorkflowNotFoundError && (await isOtherServer(client, engine));
      const error = isOther ? new OtherServer() : caught;
      if (!isAway(error) && !(mayTakeLong && isNotReady(error))) throw error;
      // The answer of another server says nothing about ours.
      if (mayTakeLong && !isOther && (await answers(client))) {
        back();
        // A deadline has passed, or a connection broke; do not repeat the call in a busy loop.
        await sleep(PAUSE_MS);
        continue;
      }
      if (awaySince === null) onAway?.(reasonOf(error));
      awaySince ??= calledAt;
      if (Date.now() - awaySince >= awayMs) throw new InfrastructureError(unreachableMessage(engine, reasonOf(error)));
      await sleep(PAUSE_MS);
      await session.followServer();
    }
  }
}

/** Says that the server does not answer, and what to do about it. */
export const unreachableMessage = (
  { address, external }: Pick<ProjectServer, 'address' | 'external'>,
  reason: string,
): string =>
  `the Temporal server ${address} does not answer (${reason}); ${
    external
      ? 'check that it is running and reachable, and try again'
      : `try again, or restart it with ${ownCommand('engine stop')} and ${ownCommand('engine start')}`
  }`;

/** Returns why a call failed. The message of Temporal's client only names the call; its cause has the reason. */
export const reasonOf = (error: Error): string => (error.cause instanceof Error ? error.cause.message : error.message);

/** gRPC codes of calls that may succeed later. Excludes the codes of permanent rejections. */
const LATER: ReadonlySet<unknown> = new Set([
  1, // CANCELLED
  2, // UNKNOWN
  4, // DEADLINE_EXCEEDED
  8, // RESOURCE_EXHAUSTED
  10, // ABORTED
  13, // INTERNAL
  14, // UNAVAILABLE
]);

/** Another server is using the engine's port. For example, another project's engine took it while ours was down. */
class OtherServer extends Error {
  override message = "another Temporal server is listening on the engine's port";
}

async function isOtherServer(client: Client, engine: ProjectServer): Promise<boolean> {
  if (engine.namespaceId == null) return false;
  const found = await client.withDeadline(Date.now() + PROBE_MS, () => namespaceId(client)).catch(() => null);
  return found !== engine.namespaceId;
}

/** @throws OtherServer if another server is using the port of the engine's own one */
export async function assertOwnServer(client: Client, engine: ProjectServer): Promise<void> {
  if (await isOtherServer(client, engine)) throw new OtherServer();
}

function isAway(error: unknown): error is Error {
  if (error instanceof OtherServer) return true;
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true;
  if (!(error instanceof Error)) return false;
  return LATER.has(ofGrpc(error).code);
}

/** True for rejections while the workflow's task keeps failing, for example because its worker is frozen. */
const isNotReady = (error: unknown): error is Error =>
  error instanceof Error && ofGrpc(error).details?.includes('Workflow Task in failed state') === true;

const ofGrpc = (error: Error): { code?: unknown; details?: string } =>
  (error instanceof ServiceError ? (error.cause ?? {}) : error) as { code?: unknown; details?: string };

/** Resolves if the server answers within a few seconds. */
const probe = (client: Client): Promise<unknown> =>
  client.withDeadline(Date.now() + PROBE_MS, () => client.workflowService.getSystemInfo({}));

const answers = (client: Client): Promise<boolean> =>
  probe(client).then(
    () => true,
    () => false,
  );
