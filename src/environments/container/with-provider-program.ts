import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { connect, createServer } from 'node:net';

/*
 * Starts an agent in a container without network: `node with-provider.mjs SOCKET PORT COMMAND ARGUMENT...`. While the
 * agent works, what connects to the port on the container's loopback is connected to the socket, behind which the
 * provider of the agent's model answers.
 */

const [socket = '', port = '', command = '', ...args] = process.argv.slice(2);

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(126);
}

const server = createServer((client) => {
  const provider = connect(socket);
  client.pipe(provider).pipe(client);
  client.on('error', () => provider.destroy());
  provider.on('error', () => client.destroy());
});
server.on('error', (error) => fail(`the provider of the model cannot be reached: ${error.message}`));
server.listen(Number(port), '127.0.0.1', () => {
  const agent = spawn(command, args, { stdio: 'inherit' });
  agent.on('error', (error: NodeJS.ErrnoException) => {
    process.stderr.write(`${command}: ${error.message}\n`);
    process.exit(error.code === 'ENOENT' ? 127 : 126);
  });
  agent.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
  // Its whole session gets a signal; this program ends after the agent.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
});
