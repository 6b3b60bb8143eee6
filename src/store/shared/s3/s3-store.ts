import { createReadStream, createWriteStream } from 'node:fs';
import { stat, mkdtemp, readFile, lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { withinTime } from '../answer-time.js';
import { checkedName, FOLDER_END, objectNameProblem } from '../names.js';
import type { SharedStore } from '../shared-store.js';
import { explainedS3, isNotThere, isWorthRepeating, statusOf } from './s3-errors.js';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { execa } from 'execa';
import { createFolderOnce, findPackage, packageFile } from '#host';
import { beginningOf, UsageError } from '#lib';

/** A connection that is silent for this long is closed, and the request repeated. */
const SILENT_MS = 20_000;
const CONNECT_MS = 5_000;
/** The time that a folder may take. */
const FOLDER_MS = 30 * 60_000;
const ATTEMPTS = 5;

/** Splits `s3://bucket/prefix`. @throws UsageError */
export function parseBucket(location: string): { bucket: string; prefix: string } {
  const [, bucket = '', rest = ''] = /^s3:\/\/([^/]*)\/?(.*)$/i.exec(location) ?? [];
  const prefix = rest.replace(/\/+$/, '');
  const problem = bucket === '' ? 'it has no bucket' : prefix === '' ? null : objectNameProblem(prefix);
  if (problem === null) return { bucket, prefix };
  throw new UsageError(
    'results_unwritable',
    `${location} is not a valid place for results: ${problem}; expected s3://bucket/prefix`,
  );
}

/**
 * A bucket: a stored folder is one object, an archive. The AWS SDK finds credentials, region
 * and server in the environment or in the profile. The SDK is found from `folder`, or from this program.
 */
export function createS3Store(location: string, folder: string): SharedStore {
  const { bucket, prefix } = parseBucket(location);
  const s3 = loadS3([folder, packageFile('.')]);
  const client = clientOf(s3);
  const keyOf = (name: string): string => (prefix === '' ? '' : `${prefix}/`) + checkedName(name);
  const folderKey = (name: string): string => keyOf(name) + FOLDER_END;

  const answer = async <T>(work: Promise<T>, ms?: number): Promise<T> => {
    try {
      return await withinTime(work, 'the server does not answer', ms);
    } catch (error) {
      throw explainedS3(error, location, bucket);
    }
  };
  const request = { Bucket: bucket };

  const open = async (key: string): Promise<GetObjectCommandOutput['Body'] | null> => {
    try {
      return (await client.send(new s3.GetObjectCommand({ ...request, Key: key }))).Body ?? null;
    } catch (error) {
      if (isNotThere(error)) return null;
      throw error;
    }
  };

  const read = (key: string): Promise<Buffer | null> =>
    // The SDK repeats requests, but not the reading of an answer that breaks off.
    repeated(async () => {
      const body = await open(key);
      return body === null ? null : Buffer.from((await body?.transformToByteArray()) ?? []);
    });

  /** Returns false if the object exists already. `body` is called again for each attempt. */
  const create = (key: string, body: () => Buffer | Readable, bytes: number): Promise<boolean> =>
    repeated(async () => {
      const object = { ...request, Key: key, Body: body(), ContentLength: bytes, IfNoneMatch: '*' };
      try {
        await client.send(new s3.PutObjectCommand(object));
        return true;
      } catch (error) {
        if (statusOf(error) === 412) return false;
        throw error;
      }
    });

  /** Null if there is no such object. */
  const timeOf = async (key: string): Promise<number | null> => {
    try {
      const { LastModified } = await client.send(new s3.HeadObjectCommand({ ...request, Key: key }));
      return LastModified?.getTime() ?? 0;
    } catch (error) {
      if (isNotThere(error)) return null;
      throw error;
    }
  };

  const list = async (start: string): Promise<string[]> => {
    const names: string[] = [];
    const page = { ...request, Prefix: start, Delimiter: '/' };
    let next: string | undefined;
    do {
      const found = await client.send(new s3.ListObjectsV2Command({ ...page, ContinuationToken: next }));
      names.push(...(found.Contents ?? []).map(({ Key = '' }) => Key.slice(start.length)));
      next = found.NextContinuationToken;
    } while (next !== undefined && next !== '');
    return names.filter((name) => name !== '' && !name.endsWith(FOLDER_END)).sort();
  };

  const pack = (key: string, from: string): Promise<void> =>
    withScratchFolder(async (scratch) => {
      const archive = join(scratch, `packed${FOLDER_END}`);
      await packFolder(from, archive);
      await create(key, () => createReadStream(archive), (await stat(archive)).size);
    });

  /** Calls `use` with the archive of a stored folder. Returns null if it is not stored. */
  const unpack = <T>(key: string, use: (archive: string, scratch: string) => Promise<T>): Promise<T | null> =>
    withScratchFolder(async (scratch) => {
      const archive = join(scratch, `packed${FOLDER_END}`);
      const isStored = await repeated(async () => {
        const body = await open(key);
        if (body !== null) await pipeline(body as Readable, createWriteStream(archive));
        return body !== null;
      });
      return isStored ? use(archive, scratch) : null;
    });

  return {
    location,
    get: async (name) => answer(read(keyOf(name))),
    writtenAt: async (name) => answer(timeOf(keyOf(name))),
    async put(name, data) {
      const [Key, Body] = [keyOf(name), Buffer.from(data)];
      const object = { ...request, Key, Body, ContentLength: Body.length };
      await answer(client.send(new s3.PutObjectCommand(object)));
    },
    async putOnce(name, data) {
      const [key, body] = [keyOf(name), Buffer.from(data)];
      const work = async (): Promise<boolean> =>
        // An attempt may have succeeded although its answer was lost. So the contents decide.
        (await create(key, () => body, body.length)) || ((await read(key))?.equals(body) ?? false);
      return answer(work());
    },
    list: async (name) => answer(list(`${keyOf(name)}/`)),
    async remove(name) {
      const keys = [keyOf(name), folderKey(name)];
      await answer(Promise.all(keys.map((Key) => client.send(new s3.DeleteObjectCommand({ ...request, Key })))));
    },
    async putFolder(name, from) {
      const key = folderKey(name);
      if ((await answer(timeOf(key))) === null) await answer(pack(key, from), FOLDER_MS);
    },
    async getFolder(name, to) {
      const copied = unpack(folderKey(name), async (archive) => {
        await createFolderOnce(to, (temporary) => unpackFolder(archive, temporary));
        return true;
      });
      return (await answer(copied, FOLDER_MS)) ?? false;
    },
    async getFileOf(name, path) {
      const inside = checkedName(path);
      const file = unpack(folderKey(name), (archive, scratch) => unpackFile(archive, inside, scratch));
      return answer(file, FOLDER_MS);
    },
  };
}

function clientOf(s3: S3): S3Client {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
  const endpoint = AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL;
  return new s3.S3Client({
    maxAttempts: ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENT_MS },
    // Servers other than that of AWS know neither newer checksums nor buckets as host names.
    ...(endpoint === undefined || endpoint === ''
      ? {}
      : {
          forcePathStyle: true,
          requestChecksumCalculation: 'WHEN_REQUIRED',
          responseChecksumValidation: 'WHEN_REQUIRED',
        }),
  });
}

/** Repeats work that failed because of a conflict, the server or the network. */
async function repeated<T>(work: () => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (attempt >= ATTEMPTS || !isWorthRepeating(error)) throw error;
    await pause(100 * 2 ** attempt * (0.5 + Math.random()));
    return repeated(work, attempt + 1);
  }
}

/** The package `@aws-sdk/client-s3`, an optional peer dependency. */
type S3 = typeof import('@aws-sdk/client-s3');

const NAME = '@aws-sdk/client-s3';
const MAJOR = '3';

/** Loads the package as Node would find it from one of the folders. @throws UsageError if it is missing */
export function loadS3(folders: readonly string[]): S3 {
  const found = findPackage(NAME, folders);
  if (found?.version.split('.')[0] === MAJOR) {
    // Otherwise it prints a warning of five lines on versions of Node that later versions of it will not support.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
    return createRequire(found.module)(NAME) as S3;
  }
  const why = found === null ? 'is not installed' : `is version ${found.version}, which is not supported`;
  throw new UsageError(
    'results_unwritable',
    `results in a bucket need the package ${NAME}, which ${why}; install it with npm install ${NAME}@${MAJOR}`,
  );
}

const MESSAGE_LENGTH = 300;

/** Calls `use` with a new private folder, and removes it afterwards. */
async function withScratchFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Packs a folder into an archive. Names stay what they are, byte for byte, which not every library can do. */
async function packFolder(folder: string, archive: string): Promise<void> {
  await execa('tar', ['-C', folder, '-czf', archive, '.'], { stdin: 'ignore' });
}

/** Unpacks an archive into an existing folder. */
async function unpackFolder(archive: string, folder: string): Promise<void> {
  await execa('tar', ['-C', folder, '-xzopf', archive], { stdin: 'ignore' });
}

/** Returns the contents of one file of an archive, which is unpacked into `scratch`; null if it has no such file. */
async function unpackFile(archive: string, path: string, scratch: string): Promise<Buffer | null> {
  const options = { stdin: 'ignore', env: { LC_ALL: 'C' }, reject: false } as const;
  const { failed, stderr } = await execa('tar', ['-C', scratch, '-xzof', archive, `./${path}`], options);
  if (failed) {
    if (/not found in archive/i.test(stderr)) return null;
    throw new Error(`cannot unpack ${path}: ${beginningOf(stderr, MESSAGE_LENGTH)}`);
  }
  const file = join(scratch, path);
  return (await lstat(file)).isFile() ? readFile(file) : null;
}
