import { McpMock } from '../../../src/mocks/mcp-mock.js';

/** A mock of a tool, with defaults for what is not given. */
export const mockOf = (mock: object): McpMock => McpMock.parse(mock);
