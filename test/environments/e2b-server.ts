import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { bubblewrapProblem } from '../../src/environments/bubblewrap.js';

export const KEY = 'e2b_test_key_5f1c0a9b';
const ENVD = fileURLToPath(new URL('./e2b-envd.js', import.meta.url));
const isRoot = process.getuid?.() === 0;

/** Returns why sandboxes cannot be tested here; null if they can. */
export const whyNoSandboxes = async (): Promise<string | null> => {
  const lacking = await bubblewrapProblem();
  return lacking === null ? null : `the test server makes its sandboxes with bubblewrap: ${lacking}`;
};

/** A sandbox: a process of bubblewrap, with files and processes of its own and no network. */
interface Sandbox {
  id: string;
  template: string;
  metadata: Record<string, string>;
  envs: Record<string, string>;
  token: string;
  startedAt: Date;
  endAt: Date;
  timer: NodeJS.Timeout;
  envd: ChildProcessWithoutNullStreams;
  /** Receivers of answers, by the id of the request. */
  waiting: Map<number, (answer: Answer) => void>;
}
interface Answer {
  event?: { start?: object; data?: object; end?: object };
  missing?: boolean;
  data?: string;
}

/** A request that the server fails, and how often. */
interface Fault {
  method: string;
  path: RegExp;
  status: number;
  times: number;
}

export interface E2bServer {
  /** Variables with which the package uses this server. */
  env: Record<string, string>;
  /** Living sandboxes. */
  list: () => { id: string; metadata: Record<string, string>; endAt: Date; pid: number }[];
  /** The numbers of sandboxes that were created, and killed by request. */
  counts: { created: number; killed: number };
  /** Runs a command as root in a sandbox and returns its output. */
  inside: (id: string, command: string) => Promise<string>;
  /** Ends a sandbox as if its time were over. */
  expire: (id: string) => void;
  faults: Fault[];
  /** Called with each request, which is not handled before it resolves. `null`: nothing is called. */
  onRequest: { before: ((method: string, path: string) => void | Promise<void>) | null };
  close: () => Promise<void>;
}

/**
 * Starts a server that speaks the API of E2B as the package `e2b` uses it: sandboxes, the Connect protocol for
 * processes, and the transfer of files.
 */
export async function startE2bServer(port = 0): Promise<E2bServer> {
  const sandboxes = new Map<string, Sandbox>();
  const counts = { created: 0, killed: 0 };
  const faults: Fault[] = [];
  const onRequest: E2bServer['onRequest'] = { before: null };
  let next = 1;

  const end = (sandbox: Sandbox): void => {
    sandboxes.delete(sandbox.id);
    clearTimeout(sandbox.timer);
    sandbox.envd.kill('SIGKILL');
  };
  const extend = (sandbox: Sandbox, seconds: number): void => {
    clearTimeout(sandbox.timer);
    sandbox.endAt = new Date(Date.now() + seconds * 1000);
    sandbox.timer = setTimeout(() => end(sandbox), Math.min(seconds * 1000, 2 ** 31 - 1)).unref();
  };
  /** Sends a request into a sandbox; `receive` gets the answers. */
  const request = (sandbox: Sandbox, op: object, receive: (answer: Answer) => void): void => {
    const id = next++;
    sandbox.waiting.set(id, receive);
    sandbox.envd.stdin.write(`${JSON.stringify({ ...op, id })}\n`);
  };
  const ask = (sandbox: Sandbox, op: object): Promise<Answer> =>
    new Promise((resolve) => request(sandbox, op, resolve));

  const described = ({ id, template, token }: Sandbox) => ({
    sandboxID: id,
    templateID: template,
    clientID: 'test',
    envdVersion: '0.6.4',
    envdAccessToken: token,
    domain: null,
  });

  async function api(incoming: IncomingMessage, outgoing: ServerResponse, url: URL): Promise<void> {
    if (incoming.headers['x-api-key'] !== KEY) {
      fail(outgoing, 401, 'Invalid API key');
      return;
    }
    const [, id = '', action = ''] = /^(?:\/v2)?\/sandboxes\/?([^/]*)\/?(.*)$/.exec(url.pathname) ?? [];
    const body = JSON.parse((await bodyOf(incoming)).toString() || '{}') as Record<string, unknown>;
    const sandbox = sandboxes.get(id);
    switch (`${incoming.method} ${id === '' ? '' : ':id'}${action}`) {
      case 'POST ': {
        const template = String(body['templateID']);
        if (template === 'missing') {
          fail(outgoing, 404, `template '${template}' not found`);
          return;
        }
        const made = await startSandbox(`sandbox${randomBytes(6).toString('hex')}`, template, body);
        sandboxes.set(made.id, made);
        made.timer = setTimeout(() => undefined, 0);
        extend(made, Number(body['timeout']));
        counts.created++;
        send(outgoing, 201, described(made));
        return;
      }
      case 'GET ': {
        const wanted = new URLSearchParams(url.searchParams.get('metadata') ?? '');
        const found = [...sandboxes.values()].filter(({ metadata }) =>
          [...wanted].every(([name, value]) => metadata[decodeURIComponent(name)] === decodeURIComponent(value)),
        );
        const items = found.map((one) => ({
          ...described(one),
          metadata: one.metadata,
          state: 'running',
          cpuCount: 1,
          memoryMB: 512,
          diskSizeMB: 512,
          startedAt: one.startedAt.toISOString(),
          endAt: one.endAt.toISOString(),
        }));
        // Pages of one, so that the next one is asked for.
        const at = Number(url.searchParams.get('nextToken') ?? 0);
        if (at + 1 < items.length) outgoing.setHeader('x-next-token', String(at + 1));
        send(outgoing, 200, items.slice(at, at + 1));
        return;
      }
      case 'POST :idconnect':
        if (sandbox === undefined) {
          fail(outgoing, 404, `sandbox ${id} not found`);
          return;
        }
        extend(sandbox, Number(body['timeout']));
        {
          send(outgoing, 200, described(sandbox));
          return;
        }
      case 'POST :idtimeout':
        if (sandbox === undefined) {
          fail(outgoing, 404, `sandbox ${id} not found`);
          return;
        }
        extend(sandbox, Number(body['timeout']));
        {
          send(outgoing, 204);
          return;
        }
      case 'DELETE :id':
        if (sandbox === undefined) {
          fail(outgoing, 404, `sandbox ${id} not found`);
          return;
        }
        end(sandbox);
        counts.killed++;
        {
          send(outgoing, 204);
          return;
        }
      default: {
        fail(outgoing, 404, `no such endpoint: ${incoming.method} ${url.pathname}`);
        return;
      }
    }
  }

  async function envd(incoming: IncomingMessage, outgoing: ServerResponse, url: URL): Promise<void> {
    const sandbox = sandboxes.get(String(incoming.headers['e2b-sandbox-id']));
    if (sandbox === undefined) {
      fail(outgoing, 502, 'The sandbox was not found');
      return;
    }
    if (incoming.headers['x-access-token'] !== sandbox.token) {
      fail(outgoing, 401, 'no access');
      return;
    }
    const body = await bodyOf(incoming);
    const path = url.searchParams.get('path') ?? '';
    switch (`${incoming.method} ${url.pathname}`) {
      case 'GET /health': {
        send(outgoing, 204);
        return;
      }
      case 'POST /files':
        await ask(sandbox, { op: 'write', path, data: body.toString('base64') });
        {
          send(outgoing, 200, [{ name: path.split('/').at(-1), path, type: 'file' }]);
          return;
        }
      case 'GET /files': {
        const { data, missing } = await ask(sandbox, { op: 'read', path });
        if (missing === true) {
          fail(outgoing, 404, `path '${path}' does not exist`);
          return;
        }
        outgoing.writeHead(200, { 'content-type': 'application/octet-stream' });
        return void outgoing.end(Buffer.from(data ?? '', 'base64'));
      }
      case 'POST /process.Process/Start': {
        const { process: wanted } = JSON.parse(body.subarray(5).toString()) as {
          process: { cmd: string; args: string[]; envs?: Record<string, string> };
        };
        const [user = 'user'] = Buffer.from(
          /^Basic (.*)$/.exec(incoming.headers.authorization ?? '')?.[1] ?? '',
          'base64',
        )
          .toString()
          .split(':')
          .filter(Boolean);
        outgoing.writeHead(200, { 'content-type': 'application/connect+json' });
        const envs = { ...sandbox.envs, ...wanted.envs };
        request(sandbox, { op: 'start', ...wanted, envs, user }, ({ event }) => {
          outgoing.write(envelope(0, { event }));
          if (event?.end !== undefined) outgoing.end(envelope(2, {}));
        });
        sandbox.envd.once('close', () => outgoing.destroy());
        return;
      }
      case 'POST /process.Process/SendInput':
      case 'POST /process.Process/SendSignal': {
        const { process: to, input } = JSON.parse(body.toString()) as {
          process: { pid: number };
          input?: { stdin: string };
        };
        const op = input === undefined ? { op: 'kill' } : { op: 'input', data: input.stdin };
        const { missing } = await ask(sandbox, { ...op, pid: to.pid });
        if (missing === true) send(outgoing, 404, { code: 'not_found', message: `process ${to.pid} not found` });
        else send(outgoing, 200, {});
        return;
      }
      default: {
        fail(outgoing, 404, `no such endpoint: ${incoming.method} ${url.pathname}`);
        return;
      }
    }
  }

  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', 'http://localhost');
    const fault = faults.find(
      ({ method, path, times }) => times > 0 && method === incoming.method && path.test(url.pathname),
    );
    if (fault !== undefined) {
      fault.times--;
      incoming.resume();
      fail(outgoing, fault.status, 'a fault of the test');
      return;
    }
    const handle = async (): Promise<void> => {
      await onRequest.before?.(incoming.method ?? '', url.pathname);
      await (/^(\/v2)?\/sandboxes/.test(url.pathname) ? api : envd)(incoming, outgoing, url);
    };
    handle().catch((error: unknown) => fail(outgoing, 500, String(error)));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: { E2B_API_KEY: KEY, E2B_API_URL: address, E2B_SANDBOX_URL: address },
    list: () =>
      [...sandboxes.values()].map(({ id, metadata, endAt, envd }) => ({
        id,
        metadata,
        endAt,
        pid: envd.pid ?? 0,
      })),
    counts,
    inside: (id, command) => {
      const sandbox = sandboxes.get(id);
      if (sandbox === undefined) return Promise.resolve('');
      return new Promise((resolve) => {
        let text = '';
        request(sandbox, { op: 'start', cmd: '/bin/sh', args: ['-c', command], envs: {}, user: 'root' }, (answer) => {
          const { stdout = '' } = (answer.event?.data ?? {}) as { stdout?: string };
          text += Buffer.from(stdout, 'base64').toString();
          if (answer.event?.end !== undefined) resolve(text);
        });
      });
    },
    expire: (id) => {
      const sandbox = sandboxes.get(id);
      if (sandbox !== undefined) end(sandbox);
    },
    faults,
    onRequest,
    close: async () => {
      for (const sandbox of sandboxes.values()) end(sandbox);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts a sandbox, and resolves when it takes requests. */
async function startSandbox(id: string, template: string, body: Record<string, unknown>): Promise<Sandbox> {
  const user = isRoot ? ['--cap-add', 'ALL'] : ['--unshare-user', '--uid', '0', '--gid', '0'];
  const envd = spawn('bwrap', [
    ...[...user, '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--die-with-parent'],
    ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/sbin', '/sbin'],
    ...['--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
    ...['--perms', '0755', '--dir', '/etc', '--ro-bind', '/etc/passwd', '/etc/passwd'],
    ...['--ro-bind-try', '/etc/alternatives', '/etc/alternatives'],
    ...['--proc', '/proc', '--dev', '/dev', '--perms', '1777', '--tmpfs', '/tmp'],
    ...['--ro-bind', process.execPath, '/envd/node', '--ro-bind', ENVD, '/envd/envd.mjs'],
    ...['--clearenv', '--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin'],
    ...['/envd/node', '/envd/envd.mjs', isRoot ? 'root' : 'user'],
  ]);
  const waiting: Sandbox['waiting'] = new Map();
  const ready = new Promise<void>((resolve, reject) => {
    let said = '';
    envd.stderr.on('data', (data: Buffer) => (said += data.toString()));
    envd.once('close', () => reject(new Error(`the sandbox did not start: ${said}`)));
    waiting.set(0, () => resolve());
  });
  createInterface({ input: envd.stdout }).on('line', (line) => {
    const { id: of, ...answer } = JSON.parse(line) as Answer & { id: number };
    waiting.get(of)?.(answer);
    if (answer.event === undefined || answer.event.end !== undefined) waiting.delete(of);
  });
  envd.stdin.on('error', () => undefined);
  envd.setMaxListeners(0);
  await ready;
  return {
    id,
    template,
    envd,
    waiting,
    token: randomBytes(8).toString('hex'),
    metadata: (body['metadata'] ?? {}) as Record<string, string>,
    envs: (body['envVars'] ?? {}) as Record<string, string>,
    startedAt: new Date(),
    endAt: new Date(),
    timer: setTimeout(() => undefined, 0),
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function send(outgoing: ServerResponse, status: number, document?: unknown): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' });
  outgoing.end(document === undefined ? undefined : JSON.stringify(document));
}

const fail = (outgoing: ServerResponse, code: number, message: string): void => send(outgoing, code, { code, message });

/** A message of the Connect protocol. Flag 2 marks the last one. */
function envelope(flag: number, message: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt8(flag, 0);
  head.writeUInt32BE(text.length, 1);
  return Buffer.concat([head, text]);
}
