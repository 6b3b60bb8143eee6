import { connect } from 'node:net';
import { basename, dirname } from 'node:path';

/*
 * `node connect-program.js SOCKET`: what an agent starts for an MCP server under test. It passes on all bytes between
 * the agent and the proxy, which works beside the agent.
 */

/** The proxy is started at the same time as the agent. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 20;

const path = process.argv[2] ?? '';
// By a relative path, because that of a socket must be short.
process.chdir(dirname(path));
join(Date.now() + PATIENCE_MS);

function join(until: number): void {
  const link = connect({ path: basename(path), allowHalfOpen: true });
  link.once('error', () => {
    if (Date.now() > until) process.exit(1);
    setTimeout(() => join(until), PAUSE_MS);
  });
  link.once('connect', () => {
    link.removeAllListeners('error').on('error', () => link.destroy());
    process.stdin.pipe(link);
    link.pipe(process.stdout);
    process.stdout.on('error', () => link.destroy());
    const over = (): void => process.exit(process.stdin.readableEnded ? 0 : 1);
    link.once('end', over).once('close', over);
  });
}
