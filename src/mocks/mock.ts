import { z } from 'zod';
import { CommandMock } from './command-mock.js';
import { EndpointMock } from './endpoint-mock.js';
import { McpMock } from './mcp-mock.js';
import { ServiceMock } from './service-mock.js';

/** The keys of which each mock has one, and which say what it mocks. */
const KINDS = ['command', 'service', 'endpoint', 'mcp'] as const;

const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A stand-in for something that the scenario uses. */
export const Mock = z.union([CommandMock, ServiceMock, EndpointMock, McpMock], {
  error: ({ input }) => {
    if (!isMap(input)) return 'expected a map with one of command, service, endpoint and mcp';
    const given = KINDS.filter((kind) => kind in input);
    if (given.length === 1 || (given.length === 0 && 'method' in input)) return undefined;
    return given.length === 0
      ? 'expected a map with one of command, service, endpoint and mcp; got none of them'
      : `expected a map with one of command, service, endpoint and mcp; got ${given.join(' and ')}; write them as separate mocks`;
  },
});
export type Mock = z.infer<typeof Mock>;

export const Mocks = z.array(Mock);
