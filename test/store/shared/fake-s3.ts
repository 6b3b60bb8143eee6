import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { setEnv } from '../../host/temporary.js';

/** A server's action instead of its work: answers with a status, or drops the connection once the work is done. */
export type Mishap = 'drop' | number;

/**
 * Starts a server that knows no more of S3 than to keep objects, and makes the AWS SDK use it. Each PUT of an object
 * suffers the next of `mishaps`, until there are none left.
 */
export async function startFakeS3({ conditional = true, mishaps = [] as Mishap[] } = {}): Promise<void> {
  const objects = new Map<string, Buffer>();
  const put = async (request: IncomingMessage, response: ServerResponse, key: string): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const mishap = mishaps.shift();
    if (typeof mishap === 'number') return void response.writeHead(mishap).end();
    if (conditional && request.headers['if-none-match'] === '*' && objects.has(key))
      return void response.writeHead(412).end('<Error><Code>PreconditionFailed</Code></Error>');
    objects.set(key, Buffer.concat(chunks));
    if (mishap === 'drop') response.destroy();
    else response.end();
  };
  const server = createServer((request, response) => {
    const key = new URL(request.url ?? '', 'http://localhost').pathname;
    const object = objects.get(key);
    if (request.method === 'PUT') void put(request, response, key);
    else if (request.method === 'DELETE') response.writeHead(204).end();
    else if (object === undefined) response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    else response.end(object);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  useS3(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`);
}

/** Makes the AWS SDK use a server, and no configuration of this machine, until the end of the test. */
export const useS3 = (url: string, changes: Record<string, string | undefined> = {}): void =>
  setEnv({
    AWS_ENDPOINT_URL: url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'tests-access',
    AWS_SECRET_ACCESS_KEY: 'tests-secret',
    AWS_PROFILE: undefined,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    ...changes,
  });
