import { afterAll, beforeAll, describe, vi } from 'vitest';
import { openSharedStore } from '../../../src/store/shared/open-shared-store.js';
import { storeContract } from './contract.js';
import { findVersitygw, startVersitygw, VERSITYGW, type S3Server } from './versitygw.js';

const program = findVersitygw();
if (program === null)
  console.warn(`versitygw is not installed, so buckets are not tested; install it with: go install ${VERSITYGW}`);

describe.skipIf(program === null)('a bucket', () => {
  let server: S3Server | undefined;
  beforeAll(async () => {
    server = await startVersitygw(program ?? '');
    for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server?.stop();
  });

  storeContract(() => openSharedStore('s3://tests/team/results'));
});
