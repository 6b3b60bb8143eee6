import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { mockedTools } from '../../src/mocks/answer-to-tool.js';
import { McpMock } from '../../src/mocks/mcp-mock.js';

type Written = Partial<z.input<typeof McpMock>>;

const toolsOf = (...mocks: Written[]) =>
  mockedTools(
    mocks.map((written) => McpMock.parse({ mcp: 'github', tool: 'read', ...written })),
    'github',
  );
const definition = { description: 'Reads a file', input_schema: { type: 'object', required: ['path'] } };
const read = { name: 'read', description: 'Reads a file', inputSchema: definition.input_schema };

describe('the mocked tools of a server', () => {
  it('stand for the server if each has a definition', () => {
    expect(toolsOf({ definition })).toEqual([read]);
    expect(toolsOf({ definition }, { tool: 'list', definition: {} })).toEqual([
      read,
      { name: 'list', inputSchema: { type: 'object' } },
    ]);
  });

  it('are each listed once, with the definition in any of their mocks', () => {
    expect(toolsOf({ response: 'a' }, { response: 'b', definition })).toEqual([read]);
  });

  it('do not stand for the server if one lacks a definition', () => {
    expect(toolsOf({})).toBeNull();
    expect(toolsOf({ definition }, { tool: 'list' })).toBeNull();
  });

  it('are only those of that server', () => {
    expect(toolsOf({ definition }, { mcp: 'gitlab', tool: 'list' })).toEqual([read]);
    expect(toolsOf({ mcp: 'gitlab', definition })).toBeNull();
    expect(toolsOf()).toBeNull();
  });
});
