import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { withRetryPolicy } from '../../src/activities/step/retry-policy.js';
import { remembered } from '../../src/host/remembered.js';
import { StoreAway } from '../../src/lib/errors/usage-error.js';
import { isOwnServer } from './in-activity.js';

test('waits for shared results that are away, however often it has tried before', async () => {
  const { writeReport } = withRetryPolicy(
    { resultsPath: '/nowhere', stateFolder: '/nowhere', isOwnServer },
    { writeReport: () => Promise.reject(new StoreAway('is the folder mounted?')) },
  );
  let heartbeatDetails: unknown;
  for (let attempt = 1; attempt <= 20; attempt++) {
    const environment = new MockActivityEnvironment({ attempt, heartbeatDetails });
    environment.on('heartbeat', (details: unknown) => (heartbeatDetails = details));
    const failure: unknown = await environment.run(writeReport).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({
      type: 'StoreUnavailable',
      nonRetryable: false,
      message: expect.stringMatching(/^is the folder mounted\?.* \(waiting since /) as string,
    });
  }
  expect(heartbeatDetails).toMatchObject({ times: 20 });
});

test('the activities of a worker remember what others of its activities have found out', async () => {
  const seen = remembered(() => new Set<string>());
  const activitiesOfWorker = () =>
    withRetryPolicy(
      { resultsPath: '/nowhere', stateFolder: '/nowhere', isOwnServer },
      {
        runAgent: () => Promise.resolve([...seen().add('agent')]),
        writeReport: () => Promise.resolve([...seen().add('report')]),
      },
    );
  const [one, other] = [activitiesOfWorker(), activitiesOfWorker()];
  const perform = (activity: () => Promise<string[]>): Promise<string[]> => new MockActivityEnvironment().run(activity);
  expect(await perform(one.runAgent)).toEqual(['agent']);
  expect(await perform(one.writeReport)).toEqual(['agent', 'report']);
  expect(await perform(other.writeReport)).toEqual(['report']);
});
