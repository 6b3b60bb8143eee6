import type { Json } from '#lib';

/** A server under test, as the proxy talks to it. */
export interface Server {
  /** Passes on a line of the agent, with the character that ends it. */
  send(line: Buffer): void;
  /** Ends the connection, and a program that was started for it. */
  close(): Promise<void>;
}

/** The events of a server. */
export interface ServerEvents {
  /** Bytes for the agent, which are lines as of a program that speaks stdio. */
  bytes(chunk: Buffer): void;
  /** Settles when the agent can take more. */
  ready(): Promise<unknown>;
  /** A request, or another message, did not reach the server or will have no answer. */
  failed(message: { [key: string]: Json }, why: Failure): void;
  /** The server cannot be used, or any more. */
  ended(why: string): void;
}

/** `isProblem`: something is wrong with the server, rather than with the request. */
interface Failure {
  message: string;
  isProblem: boolean;
}
