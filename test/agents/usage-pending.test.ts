import { describe, expect, it } from 'vitest';
import type { StreamParser } from '../../src/agents/agent.js';
import { knownAgents } from '../../src/agents/index.js';
import { eventStream } from '../../src/agents/streams/event-stream.js';
import { textStream } from '../../src/agents/streams/text-stream.js';
import { linesOf } from './read-capture.js';

/** Whether usage is pending after captured starts in one session. */
function pendingAfter(agent: string, ...captures: string[]): boolean | undefined {
  const parser = knownAgents({}).get(agent)?.parser();
  for (const capture of captures) for (const line of linesOf(`${agent}-${capture}`)) parser?.line(line);
  parser?.end();
  return parser?.usagePending();
}

describe('the usage that a stream reports', () => {
  it.each(['claude-code', 'codex', 'gemini', 'opencode', 'pi'])(
    'is complete for %s once the agent has ended',
    (agent) => {
      for (const capture of ['ok', 'toolerror', 'api429x2', 'reasoning'])
        expect([capture, pendingAfter(agent, capture)]).toEqual([capture, false]);
    },
  );

  it.each(['claude-code', 'codex', 'gemini', 'opencode', 'pi'])(
    'is complete for %s if the provider refused its requests',
    (agent) => {
      for (const capture of ['bad-key', 'rate-limit', 'forbidden'])
        expect([capture, pendingAfter(agent, capture)]).toEqual([capture, false]);
    },
  );

  it.each(['claude-code', 'codex', 'gemini'])(
    'is incomplete for %s if it was killed while it worked',
    (agent) => {
      expect(pendingAfter(agent, 'kill-tool.1')).toBe(true);
    },
  );

  it('is complete again after a resume if the agent counts from the beginning of the session, as codex does', () => {
    expect(pendingAfter('codex', 'kill-tool.1', 'kill-tool.2')).toBe(false);
    expect(pendingAfter('claude-code', 'kill-tool.1', 'kill-tool.2')).toBe(true);
  });

  it('is complete in text, and in events that could be read', () => {
    const all = (parser: StreamParser): boolean => {
      parser.line('{"type":"message","role":"assistant","text":"x"}');
      parser.end();
      return !parser.usagePending();
    };
    expect([all(textStream()), all(eventStream())]).toEqual([true, true]);
  });
});
