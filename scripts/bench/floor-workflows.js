import {
  condition,
  executeChild,
  proxyActivities,
  proxyLocalActivities,
  upsertSearchAttributes,
} from '@temporalio/workflow';

const LIMIT = { startToCloseTimeout: '1 minute' };
/** @type {{ agent: (secs: number) => Promise<void> }} */
const { agent } = proxyActivities(LIMIT);
/** @type {{ step: () => Promise<void> }} */
const { step } = proxyLocalActivities(LIMIT);

/** Has the steps and search attributes of a run with four gates, but does nothing in them. @param {number} agentSecs */
export async function emptyRun(agentSecs) {
  await step(); // prepare
  await agent(agentSecs);
  for (let gate = 1; gate <= 4; gate += 1) await step();
  await step(); // report
  await step(); // clean up
  upsertSearchAttributes({ Outcome: ['pass'] });
}

/**
 * Starts `count` empty runs, at most `atOnce` at a time.
 * @param {number} count
 * @param {number} atOnce
 * @param {number} agentSecs
 */
export async function emptySweep(count, atOnce, agentSecs) {
  let open = 0;
  for (let nth = 0; nth < count; nth += 1) {
    await condition(() => open < atOnce);
    open += 1;
    void executeChild(emptyRun, {
      args: [agentSecs],
      searchAttributes: {
        SweepId: ['floor'],
        Scenario: ['empty'],
        Agent: ['none'],
        Model: ['none'],
        Rep: [1],
      },
      workflowTaskTimeout: '5 seconds',
    }).finally(() => (open -= 1));
  }
  await condition(() => open === 0);
}
