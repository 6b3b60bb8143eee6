import type { Json } from '#lib';
import type { CommandMock } from './command-mock.js';
import type { EndpointMock } from './endpoint-mock.js';
import type { McpMock } from './mcp-mock.js';
import type { Mock } from './mock.js';
import type { ServiceMock } from './service-mock.js';

export const isCommandMock = (mock: Mock): mock is CommandMock => 'command' in mock;
export const isServiceMock = (mock: Mock): mock is ServiceMock => 'service' in mock;
export const isMcpMock = (mock: Mock): mock is McpMock => 'mcp' in mock;
export const isEndpointMock = (mock: Mock): mock is EndpointMock => 'endpoint' in mock;

/** Names what a mock stands for, in a few words: `gh`, `github.readFile`, `GET /users/{id}`, `files.read_file`. */
export function mockedName(mock: Mock): string {
  if (isCommandMock(mock)) return mock.command;
  if (isServiceMock(mock)) return `${mock.service}.${mock.method}`;
  return isMcpMock(mock) ? `${mock.mcp}.${mock.tool}` : mock.endpoint;
}

/** The arguments by which a mock is told from others of the same name; none if it answers all calls. */
export function whenArgs(mock: Mock): readonly Json[] {
  if (isMcpMock(mock)) return mock.when.input === undefined ? [] : [mock.when.input];
  return mock.when.args ?? mock.when.partialArgs ?? [];
}
