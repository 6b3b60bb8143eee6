import { getEventListeners } from 'node:events';
import { expect, inject, test } from 'vitest';
import { withClient } from '../../src/engine/temporal/temporal-client.js';

const server = { address: inject('temporalAddress'), namespace: 'default', external: false };

test('calls leave no listener at the signal that can end them, which may outlive thousands of them', async () => {
  const ending = new AbortController();
  const { signal } = ending;
  for (let call = 0; call < 3; call += 1)
    await withClient(server, { timeoutMs: 10_000, signal }, (client) => client.workflowService.getSystemInfo({}));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a call ends when its signal aborts', async () => {
  const ending = new AbortController();
  const asked = withClient(server, { timeoutMs: 10_000, signal: ending.signal }, (client) => {
    const call = client.workflowService.pollWorkflowTaskQueue({
      namespace: 'default',
      taskQueue: { name: 'nobody' },
    });
    ending.abort();
    return call;
  });
  await expect(asked).rejects.toThrow(/CANCELLED|abort/i);
});
