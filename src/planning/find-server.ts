import { dirname, resolve } from 'node:path';
import type { McpServer } from '../scenario/mcp-server.js';
import { isApart, type Scenario } from '../scenario/scenario.js';
import type { StoredSubject } from '../scenario/subject.js';
import { isFile } from './file-checks.js';

/** An MCP server as it is stored, or why it cannot be used: `at` is the field with the problem. */
type FoundServer = { part: StoredSubject } | { at: keyof McpServer; message: string };

/** Says that the subject has no server of this name. */
export const noServer = (name: string, servers: readonly string[]): string =>
  `the subject has no MCP server '${name}'${servers.length === 0 ? '' : `; it has ${servers.join(', ')}`}`;

/** Checks an MCP server under test, and makes the path of its program absolute. */
export function findServer(scenarioPath: string, server: McpServer, { environment }: Scenario): FoundServer {
  if (isApart(environment))
    return {
      at: 'name',
      message: `MCP servers cannot be tested in environment.type ${environment.type}: the proxy that records calls runs on this machine; use local or bubblewrap`,
    };
  const { command } = server;
  if (command === undefined || !command.includes('/')) return { part: { kind: 'mcp', server } };
  const path = resolve(dirname(scenarioPath), command);
  return isFile(path)
    ? { part: { kind: 'mcp', server: { ...server, command: path } } }
    : {
        at: 'command',
        message: `the program '${command}' was not found; paths are relative to the scenario file`,
      };
}
