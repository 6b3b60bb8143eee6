import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openSharedStore, probeStore } from '../../../src/store/shared/shared-project.js';
import { setEnv } from '../../host/temporary.js';
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

  test('lists more objects than one answer of a server contains', async () => {
    const folder = join(server?.bucket ?? '', 'team', 'results', 'many');
    mkdirSync(folder, { recursive: true });
    const names = Array.from({ length: 1100 }, (_, count) => String(count).padStart(4, '0'));
    for (const name of names) writeFileSync(join(folder, name), '');
    expect(await (await openSharedStore('s3://tests/team/results')).list('many')).toEqual(names);
  });

  test('passes the check of a host that joins', async () => {
    await probeStore(await openSharedStore('s3://tests/joining'));
  });

  test('says that there is no such bucket, or that the key is wrong', async () => {
    const missing = await openSharedStore('s3://missing/team');
    await expect(probeStore(missing)).rejects.toThrow(
      'cannot use s3://missing/team: there is no bucket missing; create it, or correct its name',
    );
    await expect(missing.get('a')).rejects.toThrow('there is no bucket missing');
    setEnv({ AWS_SECRET_ACCESS_KEY: 'wrong' });
    await expect((await openSharedStore('s3://tests/team')).get('a')).rejects.toThrow('correct AWS_SECRET_ACCESS_KEY');
  });
});
