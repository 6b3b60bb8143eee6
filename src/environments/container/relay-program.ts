import { chmodSync, existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as http from 'node:http';
import * as https from 'node:https';
import type { RelayFile } from './relay.js';

/*
 * Works on the host beside an agent in a container without network: `node relay-program.js FILE`. It answers requests
 * on a socket with what the provider of the agent's model answers, and connects to nothing else. It ends with the
 * agent, or when its socket is gone.
 */

const LOOK_MS = 500;
/** Hop-by-hop headers and the host: the other connection has its own. */
const NOT_FORWARDED = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'host']);

const [path = ''] = process.argv.slice(2);
const { address, socket, exit } = JSON.parse(readFileSync(path, 'utf8')) as RelayFile;
const origin = new URL(address);
const { request } = origin.protocol === 'https:' ? https : http;

const headersOf = (headers: IncomingMessage['headers']): http.OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_FORWARDED.has(name)));

function serve(asked: IncomingMessage, answer: ServerResponse): void {
  // Whatever origin the request names, only its path counts.
  const { pathname, search } = new URL(asked.url ?? '/', origin);
  const user =
    origin.username === ''
      ? {}
      : { auth: `${decodeURIComponent(origin.username)}:${decodeURIComponent(origin.password)}` };
  const passed = request(
    {
      protocol: origin.protocol,
      hostname: origin.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: origin.port,
      path: `${pathname}${search}`,
      method: asked.method,
      headers: { ...headersOf(asked.headers), host: origin.host },
      ...user,
    },
    (got) => {
      answer.writeHead(got.statusCode ?? 502, headersOf(got.headers));
      got.pipe(answer);
      got.on('error', () => answer.destroy());
    },
  );
  passed.on('error', (error) => {
    if (answer.headersSent) answer.destroy();
    else answer.writeHead(502, { 'content-type': 'text/plain' }).end(`llm-tool-test: ${error.message}\n`);
  });
  answer.on('close', () => passed.destroy());
  asked.pipe(passed);
}

rmSync(socket, { force: true });
// Models may think for a long time before they answer.
const server = createServer({ requestTimeout: 0 }, serve).listen(socket, () => {
  // The agent may be any user of the container.
  chmodSync(socket, 0o666);
  const { ino } = lstatSync(socket);
  setInterval(() => {
    if (existsSync(exit) || lstatSync(socket, { throwIfNoEntry: false })?.ino !== ino) process.exit(0);
  }, LOOK_MS);
});
server.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
