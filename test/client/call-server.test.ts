import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { callServer, LONG_CALL, type ServerConnection } from '../../src/client/call-server.js';
import { LIMITS } from '../../src/lib/limits.js';
import type { ProjectServer } from '../../src/engine/engine-state.js';

/** A client of a server that answers and has this namespace. */
const clientOf = (namespaceId: string): Client =>
  ({
    options: { namespace: 'default' },
    withDeadline: (_at: number, call: () => unknown) => call(),
    workflowService: {
      describeNamespace: () => Promise.resolve({ namespaceInfo: { id: namespaceId } }),
      getSystemInfo: () => Promise.resolve({}),
    },
  }) as unknown as Client;

test('a call that may take long follows the server to its new port if another server has taken the old one', async () => {
  const [other, own] = [clientOf('other'), clientOf('own')];
  let now = other;
  const connection: ServerConnection = {
    get client() {
      return now;
    },
    engine: { address: '127.0.0.1:7233', external: false, namespaceId: 'own' } as ProjectServer,
    limits: LIMITS,
    followServer: () => {
      now = own;
      return Promise.resolve();
    },
  };
  let asked = 0;
  const ask = (client: Client): Promise<string> => {
    if (client === own) return Promise.resolve('the result');
    if (++asked > 3) throw new Error('the other server is asked again and again');
    throw new WorkflowNotFoundError('not found', 'sweep/a', undefined);
  };
  const away: (string | null)[] = [];
  const onAway = (reason: string | null) => away.push(reason);
  expect(await callServer(connection, ask, { ...LONG_CALL, onAway })).toBe('the result');
  expect(away).toEqual(["another Temporal server is listening on the engine's port", null]);
});
