import { describe, expect, it, test } from 'vitest';
import type { Agent } from '../../../src/agents/agent.js';
import { knownAgents } from '../../../src/agents/known-agents.js';
import { createTrajectoryCollector } from '../../../src/model/transcript/trajectory.js';
import type { EventBody } from '../../../src/model/records/events.js';
import { CLI_NAMES, type CliName } from '../clis.js';
import { eventsOf, ofType } from '../read-capture.js';

const parserOf = (name: CliName) => (knownAgents({}).get(name) as Agent).parser();
const did = (events: EventBody[]) => {
  const collector = createTrajectoryCollector();
  for (const event of events) collector.add(event);
  const { tools, unexecuted, actions, commands } = collector.end(null);
  return { tools, unexecuted, actions, commands: commands.map(({ whole }) => whole) };
};
const SHELLS: Record<CliName, string> = {
  'claude-code': 'Bash',
  codex: 'command_execution',
  opencode: 'bash',
  gemini: 'run_shell_command',
  pi: 'bash',
};

describe.each(CLI_NAMES)('the calls of %s', (name) => {
  it('do not include one of a tool that does not exist, nor the command in its input', () => {
    const shell = SHELLS[name];
    expect(did(eventsOf(parserOf(name), `${name}-notool`))).toEqual({
      tools: { [shell]: 1 },
      // Codex does not show such a call at all.
      unexecuted: name === 'codex' ? undefined : { danger_tool: 1 },
      actions: [shell],
      commands: ['echo hi > out.txt'],
    });
  });

  it.skipIf(name === 'codex')('do not include one whose arguments do not fit the tool', () => {
    expect(did(eventsOf(parserOf(name), `${name}-badargs`))).toMatchObject({
      tools: {},
      unexecuted: { [SHELLS[name]]: 1 },
      actions: [],
    });
  });

  it('include those that failed', () => {
    expect(did(eventsOf(parserOf(name), `${name}-toolerror`)).unexecuted).toBeUndefined();
  });
});

const line = (name: CliName, ...values: object[]): EventBody[] => {
  const parser = parserOf(name);
  return values.flatMap((value) => parser.line(JSON.stringify(value)));
};
const claude = (tool: string, content: string): EventBody[] =>
  line(
    'claude-code',
    {
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'tool_use', id: 'c', name: tool, input: {} }] },
    },
    {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 'c', is_error: true, content }] },
    },
  );
const pi = (tool: string, text: string): EventBody[] =>
  line(
    'pi',
    { type: 'tool_execution_start', toolCallId: 'c', toolName: tool, args: {} },
    {
      type: 'tool_execution_end',
      toolCallId: 'c',
      toolName: tool,
      isError: true,
      result: { content: [{ type: 'text', text }] },
    },
  );

test.each([
  ['claude-code', claude('Bash', 'Exit code 1\n<tool_use_error>Error: No such tool available: Bash</tool_use_error>')],
  ['claude-code', claude('Bash', '<tool_use_error>Error: No such tool available: Bash\n<error>aborted</error>')],
  ['claude-code', claude('Bash', '<tool_use_error>Error: No such tool available: Other</tool_use_error>')],
  ['pi', pi('bash', 'Tool bash not found\n\nCommand exited with code 1')],
  ['pi', pi('bash', 'Validation failed for tool "bash":\n\nReceived arguments:\n{}\n\nCommand exited with code 1')],
  ['pi', pi('bash', 'Validation failed for tool "bash":\nCommand timed out after 5 seconds')],
])('a command of %s cannot print that it was not executed', (_, events) => {
  expect(ofType(events, 'tool_result').map(({ executed }) => executed)).toEqual([undefined]);
});
