import type { Mock } from '#mocks';

/** The way to reach a server. All values are filled in. */
export type McpConnection =
  { command: string; args: string[]; env: Record<string, string> } | { url: string; headers: Record<string, string> };

/** The input of the proxy of a server, as JSON in a private file, which has a list of these. */
export interface ProxyFile {
  /** Name of the server in the scenario. */
  server: string;
  connection: McpConnection;
  /** The folder in which a program is started. */
  workspace: string;
  /** Path of the socket by which the agent reaches it. */
  socket: string;
  /** File to which it appends what happens. */
  records: string;
  /** All mocks of the scenario. */
  mocks: Mock[];
  /** Folder with the records of mocked calls. */
  calls: string;
  seed: string;
  agent: string;
  scenario: string;
  step: string;
}

/** The socket by which one who stays connected to it learns that the proxy has ended. `socket`: that of a server. */
export const presenceOf = (socket: string): string => `${socket}.up`;
