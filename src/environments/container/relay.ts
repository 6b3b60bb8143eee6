/** The way of an agent in a container without network to the provider of its model: a file of the host, as JSON. */
export interface RelayFile {
  /** The provider's address: its origin counts. It may contain a secret. */
  address: string;
  /** Path of the socket, which is mounted into the container. */
  socket: string;
  /** Path of a file that is there as soon as the agent has ended. */
  exit: string;
}

/** The folder of the socket in the container, and its name. */
export const RELAY_PLACE = '/run/llm-tool-test';
export const RELAY_SOCKET = 'provider';

/** Port of the container's own loopback. Below those that systems give out by themselves. */
export const RELAY_PORT = 21_097;

/** The address by which the agent reaches its provider. `address`: that of the provider. */
export function addressInside(address: string): string {
  const { pathname } = new URL(address);
  return `http://127.0.0.1:${RELAY_PORT}${pathname === '/' ? '' : pathname}`;
}
