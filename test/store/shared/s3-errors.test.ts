import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StoreAway } from '../../../src/lib/errors/usage-error.js';
import { withinTime } from '../../../src/store/shared/answer-time.js';
import { openSharedStore, probeStore } from '../../../src/store/shared/shared-project.js';
import { parseBucket, loadS3 } from '../../../src/store/shared/s3/s3-store.js';
import { newFolder } from '../../host/temporary.js';
import { startFakeS3, useS3 } from './fake-s3.js';

const open = () => openSharedStore('s3://tests/team');

test('knows that it created an object although the answer was lost', async () => {
  await startFakeS3({ mishaps: ['drop'] });
  const store = await open();
  expect(await store.putOnce('a', 'one')).toBe(true);
  expect(await store.putOnce('a', 'two')).toBe(false);
});

test('repeats a creation that was in conflict with another', async () => {
  await startFakeS3({ mishaps: [409, 409] });
  expect(await (await open()).putOnce('a', 'one')).toBe(true);
});

test('repeats what the server could not do', async () => {
  await startFakeS3({ mishaps: [503, 500] });
  const store = await open();
  await store.put('a', 'one');
  expect((await store.get('a'))?.toString()).toBe('one');
});

test('refuses a server that does not honour If-None-Match', async () => {
  await startFakeS3({ conditional: false });
  await expect(probeStore(await open())).rejects.toThrow(
    's3://tests/team cannot hold shared results: it lets several writers create the same object',
  );
});

test('says that there are no credentials', async () => {
  useS3('http://127.0.0.1:9', { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined });
  await expect((await open()).get('a')).rejects.toThrow(
    'cannot use s3://tests/team: no AWS credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  );
});

test('says that there is no region', async () => {
  useS3('http://127.0.0.1:9', { AWS_REGION: undefined, AWS_DEFAULT_REGION: undefined });
  await expect((await open()).get('a')).rejects.toThrow('no AWS region; set AWS_REGION');
});

test('says that it cannot reach the server, and that it would be worth another try', async () => {
  useS3('http://127.0.0.1:9');
  const failed = (await open()).list('a');
  await expect(failed).rejects.toThrow(/^cannot reach s3:\/\/tests\/team: .*ECONNREFUSED/);
  await expect(failed).rejects.toBeInstanceOf(StoreAway);
});

test('does not take an error of a local folder for one of the server', async () => {
  await startFakeS3();
  const failed = (await open()).putFolder('a', join(await newFolder(), 'missing'));
  await expect(failed).rejects.not.toBeInstanceOf(StoreAway);
  await expect(failed).rejects.toThrow('missing');
});

test('does not wait for ever', async () => {
  await expect(withinTime(new Promise(() => undefined), 'no answer', 10)).rejects.toThrow('no answer');
});

test('says how to install the package if it is missing, or another major version', async () => {
  const folder = await newFolder();
  expect(() => loadS3([folder])).toThrow(
    'results in a bucket need the package @aws-sdk/client-s3, which is not installed; install it with npm install @aws-sdk/client-s3@3',
  );
  const installed = join(folder, 'node_modules', '@aws-sdk', 'client-s3');
  await mkdir(installed, { recursive: true });
  await writeFile(join(installed, 'package.json'), '{"version":"2.1.0"}');
  expect(() => loadS3([folder])).toThrow('which is version 2.1.0, which is not supported; install it with');
});

test.each([
  ['s3://bucket', 'bucket', ''],
  ['s3://bucket/', 'bucket', ''],
  ['S3://bucket/a/b/', 'bucket', 'a/b'],
])('reads %s', (location, bucket, prefix) => {
  expect(parseBucket(location)).toEqual({ bucket, prefix });
});

test.each(['s3://', 's3:///prefix', 's3://bucket/a//b', 's3://bucket/../b'])('refuses %s', (location) => {
  expect(() => parseBucket(location)).toThrow('expected s3://bucket/prefix');
});
