import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The S3-compatible server that the tests use. `.ci/packages` installs it. */
export const VERSITYGW = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';

/** Returns the path of versitygw, found on PATH or where Go installs programs; null if it is not installed. */
export function findVersitygw(): string | null {
  const { PATH = '', GOBIN, GOPATH } = process.env;
  const folders = [...PATH.split(delimiter), GOBIN, join(GOPATH ?? join(homedir(), 'go'), 'bin')];
  const programs = folders.flatMap((folder) => (folder ? [join(folder, 'versitygw')] : []));
  return programs.find((program) => existsSync(program)) ?? null;
}

export interface S3Server {
  /** The variables with which the AWS SDK reaches the server. */
  env: Record<string, string>;
  /** The folder of the bucket `tests`, in which objects are files. */
  bucket: string;
  stop: () => Promise<void>;
}

/** Starts a server with an empty bucket `tests` on a free port. */
export async function startVersitygw(program: string, host = '127.0.0.1'): Promise<S3Server> {
  const root = mkdtempSync(join(tmpdir(), 'versitygw-'));
  const bucket = join(root, 'tests');
  mkdirSync(bucket);
  const address = `${host}:${await freePort()}`;
  const [access, secret] = ['tests-access', 'tests-secret'];
  const child = spawn(
    program,
    ['--port', address, '--access', access, '--secret', secret, '--quiet', '--health', '/health', 'posix', root],
    { stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
    rmSync(root, { recursive: true, force: true });
  };
  const env = {
    AWS_ENDPOINT_URL: `http://${address}`,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: access,
    AWS_SECRET_ACCESS_KEY: secret,
  };
  if (await isUp(`http://${address}/health`, () => child.exitCode !== null)) return { env, bucket, stop };
  await stop();
  throw new Error('versitygw has not started');
}

async function isUp(url: string, hasEnded: () => boolean): Promise<boolean> {
  while (!hasEnded()) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok === true) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
