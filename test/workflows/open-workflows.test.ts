import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connect } from '../../src/engine/temporal/temporal-client.js';
import { waitUntil } from '../../src/host/process/waiting.js';
import { privateCopy } from '../agent-scripts/private-copy.js';

test('the script open-workflows lists an open workflow of a real server, and no longer lists it once it is closed', async () => {
  const client = await connect({ address: inject('temporalAddress'), namespace: 'default', external: false });
  onTestFinished(() => client.connection.close());
  const workflowId = `open/${randomUUID()}`;
  const handle = await client.workflow.start('nobodyPerformsIt', {
    workflowId,
    taskQueue: 'nobody',
    args: [],
  });
  onTestFinished(async () => {
    await handle.terminate().catch(() => null); // the test has ended it already
  });

  const { script } = await privateCopy();
  const found = async (): Promise<object | undefined> => {
    const { document } = await script('open-workflows', '--address', inject('temporalUi'), '--limit', '999');
    const { workflows } = document.data as { workflows: { workflow_id: string }[] };
    return workflows.find(({ workflow_id }) => workflow_id === workflowId);
  };
  // The server updates its list a moment after a workflow has started or ended.
  const open = await waitUntil(async () => (await found()) ?? null, 120_000);
  expect(open).toEqual({
    workflow_id: workflowId,
    run_id: handle.firstExecutionRunId,
    type: 'nobodyPerformsIt',
    task_queue: 'nobody',
    start_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
  });
  await handle.terminate();
  expect(await waitUntil(async () => ((await found()) === undefined ? true : null), 120_000)).toBe(true);
});
