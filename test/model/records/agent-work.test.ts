import { describe, expect, test } from 'vitest';
import { agentWork, AgentWork } from '../../../src/model/records/agent-work.js';
import { NO_USAGE } from '../../../src/model/records/token-usage.js';
import { createTrajectoryCollector } from '../../../src/model/transcript/trajectory.js';

const trajectoryOf = (...tools: string[]) => {
  const collector = createTrajectoryCollector();
  for (const name of tools) collector.add({ type: 'tool_call', id: '', name, input: null, command: null });
  return collector.end(null);
};

describe('what an agent did', () => {
  test('is the sequence of its tools, their number, and its tokens', () => {
    const usage = { input: 10, output: 5, reasoning: null, cache_read: 100, cache_write: null };
    expect(agentWork(trajectoryOf('read', 'write', 'read'), usage)).toEqual({
      tokens: 115,
      tool_calls: 3,
      actions: ['read', 'write', 'read'],
    });
  });
  test('has the size of its first request, and of the tools that it was told of, each tool once', () => {
    const collector = createTrajectoryCollector();
    const tools = [
      { name: 'read', bytes: 100 },
      { name: 'write', bytes: 30 },
    ];
    for (const server of ['files', 'files', 'web']) collector.add({ type: 'mcp_tools', server, tools });
    const work = agentWork(
      collector.end(() => []),
      NO_USAGE,
      { tokens: 12 },
    );
    expect(work).toMatchObject({ first_request_tokens: 12, mcp_tools: { count: 4, bytes: 260 } });
    const unknown = agentWork(null, NO_USAGE, { tokens: null, unknown: 'because' });
    expect(unknown).toMatchObject({ first_request_tokens: null });
    expect(AgentWork.parse(unknown)).toEqual(unknown);
  });
  test('is bounded: of many calls, the first are kept, and their number is exact', () => {
    const { actions, tool_calls } = agentWork(
      trajectoryOf(...Array.from({ length: 150 }, () => 'x'.repeat(500))),
      NO_USAGE,
    );
    expect([actions?.length, actions?.at(-1), tool_calls]).toEqual([101, '…', 150]);
    expect(JSON.stringify(actions).length).toBeLessThan(8000);
  });
  test('is unknown, not nothing, if the output is text or was not read to its end', () => {
    const unknown = { tokens: null, tool_calls: null, actions: null };
    expect(agentWork(null, NO_USAGE)).toEqual(unknown);
    const inText = createTrajectoryCollector().end(() => []);
    expect(agentWork(inText, NO_USAGE)).toEqual(unknown);
    expect(agentWork({ ...trajectoryOf('read'), unseen: { calls: 'cut' } }, NO_USAGE)).toEqual(unknown);
    expect(agentWork(trajectoryOf(), NO_USAGE)).toEqual(unknown); // nothing was printed
    const answer = createTrajectoryCollector();
    answer.add({ type: 'message', role: 'assistant', text: 'Done.' });
    expect(agentWork(answer.end(null), NO_USAGE)).toEqual({ tokens: null, tool_calls: 0, actions: [] });
    const trajectory = trajectoryOf('read');
    expect(agentWork({ ...trajectory, unread: true }, NO_USAGE)).toEqual(unknown);
  });
});
