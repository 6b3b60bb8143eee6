import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../../src/model/records/token-usage.js';
import type { McpRecord } from '../../../src/model/transcript/mcp-record.js';
import type { Trajectory } from '../../../src/model/transcript/trajectory.js';
import type { Json } from '../../../src/lib/json.js';
import { check, realContext } from '../real-context.js';

const nothing: Trajectory = {
  commands: [],
  commandCount: 0,
  structured: true,
  tools: {},
  skills: {},
  actions: [],
  mcp: { calls: [], callCount: 0, problems: [] },
  answer: null,
  tokens: NO_USAGE,
  costUsd: null,
};
const call = (tool: string, args: Json = {}, why: string | null = null, server = 'files') => ({
  server,
  tool,
  arguments: args,
  is_error: why !== null,
  why,
});
const recorded = (calls: McpRecord['calls'], more: Partial<McpRecord> = {}): McpRecord => ({
  calls,
  callCount: calls.length,
  problems: [],
  ...more,
});
const after = (gate: object, mcp: McpRecord | undefined) =>
  check(gate, realContext('/nowhere', { trajectory: { ...nothing, ...(mcp === undefined ? {} : { mcp }) } }));
const called = (gate: object, mcp: McpRecord | undefined) =>
  after({ type: 'mcp_tool_called', tool: 'read', ...gate }, mcp);
const problems = [{ server: 'files', message: 'the server ended before the agent' }];

describe.each(['mcp_tool_called', 'mcp_tool_not_called', 'mcp_no_errors'])('%s', (type) => {
  const gate = { type, ...(type === 'mcp_no_errors' ? {} : { tool: 'read' }) };

  it('is an error where nothing was recorded', async () => {
    expect(await check(gate, realContext('/nowhere', { trajectory: null }))).toMatchObject({
      status: 'error',
    });
  });

  it('is an error that names our limit where we could not record everything', async () => {
    const limit = {
      server: 'files',
      message: 'llm-tool-test cannot record more calls',
      limit: true,
    } as const;
    const verdict = await after(gate, recorded([], { problems: [limit] }));
    expect(verdict.status).toBe('error');
    expect(verdict.message).toContain('files: llm-tool-test cannot record more calls');
  });
});

describe('mcp_tool_not_called', () => {
  const notCalled = (gate: object, mcp: McpRecord) =>
    after({ type: 'mcp_tool_not_called', tool: 'read', ...gate }, mcp);
  it.each([
    [{}, [], 'pass', '0 calls of "read"'],
    [{}, [call('write')], 'pass', '0 calls of "read"'],
    [{}, [call('read')], 'fail', '1 call of "read"; expected 0 to 0; its calls had {}'],
    [{}, [call('read', {}, 'denied')], 'fail', '1 call of "read"; expected 0 to 0; its calls had {}'],
    [{ server: 'git' }, [call('read')], 'pass', '0 calls of "read"'],
    [{ args: { a: 1 } }, [call('read', { a: 2 })], 'pass', '0 calls of "read" with these arguments'],
    [
      { args_schema: { required: ['a'] } },
      [call('read', { a: 2 })],
      'fail',
      '1 call of "read" with these arguments; expected 0 to 0; its calls had {"a":2}',
    ],
  ])('%j after %j', async (gate, calls, status, message) => {
    expect(await notCalled(gate, recorded(calls))).toEqual({ status, message });
  });

  it('is an error if a server did not work, or calls were not kept', async () => {
    expect(await notCalled({}, recorded([], { problems }))).toMatchObject({ status: 'error' });
    expect(await notCalled({}, recorded([], { callCount: 1 }))).toMatchObject({ status: 'error' });
  });
});

describe('mcp_tool_called', () => {
  it.each([
    [{}, [call('read')], 'pass', '1 call of "read"'],
    [{}, [call('write')], 'fail', '0 calls of "read"; expected at least 1; the agent called "write"'],
    [{}, [], 'fail', '0 calls of "read"; expected at least 1; no tool was called'],
    [{ server: 'git' }, [call('read')], 'fail', '0 calls of "read"; expected at least 1; no tool was called'],
    [{ min: 0, max: 0 }, [call('read')], 'fail', '1 call of "read"; expected 0 to 0; its calls had {}'],
    [{ min: 0, max: 0 }, [call('write')], 'pass', '0 calls of "read"'],
    [{ max: 1 }, [call('read'), call('read')], 'fail', '2 calls of "read"; expected 1 to 1; its calls had {}, {}'],
    [
      { args: { a: { b: 1 } } },
      [call('read', { a: { b: 1, c: 2 }, d: 3 })],
      'pass',
      '1 call of "read" with these arguments',
    ],
    [
      { args: { a: [1] } },
      [call('read', { a: [1, 2] })],
      'fail',
      '0 calls of "read" with these arguments; expected at least 1; its calls had {"a":[1,2]}',
    ],
    [
      { args: { toString: {} } },
      [call('read', {})],
      'fail',
      '0 calls of "read" with these arguments; expected at least 1; its calls had {}',
    ],
    [
      { args_schema: { required: ['a'] } },
      [call('read', { a: null })],
      'pass',
      '1 call of "read" with these arguments',
    ],
    [
      { args_schema: { required: ['a'] } },
      [call('read', { b: 1 })],
      'fail',
      '0 calls of "read" with these arguments; expected at least 1; its calls had {"b":1}',
    ],
    [{ after: 'list' }, [call('list'), call('read')], 'pass', '1 call of "read", after "list"'],
    [{ after: 'list' }, [call('read'), call('list')], 'fail', '1 call of "read"; expected a call of "list" before'],
    [
      { after: 'list' },
      [call('read')],
      'fail',
      '1 call of "read"; expected a call of "list" before, which was not called',
    ],
  ])('%j after %j', async (gate, calls, status, message) => {
    expect(await called(gate, recorded(calls))).toEqual({ status, message });
  });

  it('is an error if calls that were not kept could decide, or a server that failed made the count meaningless', async () => {
    expect(await called({}, recorded([], { callCount: 5 }))).toMatchObject({ status: 'error' });
    expect(await called({ max: 1 }, recorded([call('read')], { callCount: 2 }))).toMatchObject({
      status: 'error',
    });
    expect(await called({}, recorded([call('read')], { callCount: 2 }))).toMatchObject({ status: 'pass' });
    expect(await called({ min: 0, max: 0 }, recorded([], { problems }))).toMatchObject({ status: 'error' });
    expect(await called({}, recorded([], { problems }))).toEqual({
      status: 'fail',
      message: '0 calls of "read"; expected at least 1; no tool was called; files: the server ended before the agent',
    });
  });
});

describe('mcp_no_errors', () => {
  it.each([
    [{}, recorded([call('read')]), 'pass', '0 errors in 1 call'],
    [{}, recorded([call('read', {}, 'denied')]), 'fail', '1 error in 1 call: files read: denied'],
    [{ allow: 1 }, recorded([call('read', {}, 'denied')]), 'pass', '1 error in 1 call: files read: denied'],
    [{ server: 'git' }, recorded([call('read', {}, 'denied')]), 'pass', '0 errors in 0 calls'],
    [{}, recorded([], { problems }), 'fail', '1 error in 0 calls: files: the server ended before the agent'],
    [{ server: 'git' }, recorded([], { problems }), 'pass', '0 errors in 0 calls'],
  ])('%j after %j', async (gate, mcp, status, message) => {
    expect(await after({ type: 'mcp_no_errors', ...gate }, mcp)).toEqual({ status, message });
  });

  it('is an error if not all calls were kept', async () => {
    expect(await after({ type: 'mcp_no_errors' }, recorded([], { callCount: 1 }))).toMatchObject({
      status: 'error',
    });
  });
});
