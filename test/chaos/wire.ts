import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy of a server whose connections can be cut. */
export interface Wire {
  address: string;
  /** Closes all connections. New ones are accepted, so a client that wakes up can connect again. */
  cut: () => void;
  remove: () => void;
}

export async function createWire(to: string): Promise<Wire> {
  const [host, port] = to.split(':');
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), host);
    near.pipe(far).pipe(near);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined); // `close` follows
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => open.forEach((socket) => socket.destroy());
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    remove() {
      server.close();
      cut();
    },
  };
}
