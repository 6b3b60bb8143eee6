import { describe, expect, it } from 'vitest';
import type { StreamParser } from '../../src/agents/agent.js';
import { knownAgents } from '../../src/agents/index.js';
import { eventStream, textStream } from '../../src/agents/streams/plain.js';
import { linesOf } from './read-capture.js';

/** Whether usage is pending after captured starts in one session. */
function pendingAfter(agent: string, ...captures: string[]): boolean | undefined {
  const parser = knownAgents({}).get(agent)?.parser();
  for (const capture of captures) for (const line of linesOf(`${agent}-${capture}`)) parser?.line(line);
  parser?.end();
  return parser?.usagePending();
}

describe('what a stream says of usage', () => {
  it.each(['claude-code', 'codex', 'gemini', 'opencode', 'pi'])(
    'of %s is all where it has ended',
    (agent) => {
      for (const capture of ['ok', 'toolerror', 'api429x2', 'reasoning'])
        expect([capture, pendingAfter(agent, capture)]).toEqual([capture, false]);
    },
  );

  it.each(['claude-code', 'codex', 'gemini', 'opencode', 'pi'])(
    'of %s is all where its provider refused to serve it',
    (agent) => {
      for (const capture of ['bad-key', 'rate-limit', 'forbidden'])
        expect([capture, pendingAfter(agent, capture)]).toEqual([capture, false]);
    },
  );

  it.each(['claude-code', 'codex', 'gemini'])('of %s is not all where it was killed at its work', (agent) => {
    expect(pendingAfter(agent, 'kill-tool.1')).toBe(true);
  });

  it('is all again where the session goes on and its end counts from the beginning, as of codex', () => {
    expect(pendingAfter('codex', 'kill-tool.1', 'kill-tool.2')).toBe(false);
    expect(pendingAfter('claude-code', 'kill-tool.1', 'kill-tool.2')).toBe(true);
  });

  it('is all in output that is not that of an agent we know', () => {
    const all = (parser: StreamParser): boolean => {
      parser.line('{"type":"message","role":"assistant","text":"x"}');
      parser.end();
      return !parser.usagePending();
    };
    expect([all(textStream()), all(eventStream())]).toEqual([true, true]);
  });
});
