import { describe, expect, it } from 'vitest';
import type { StreamParser } from '../../src/agents/agent.js';
import { knownAgents } from '../../src/agents/known-agents.js';
import { eventStream } from '../../src/agents/streams/event-stream.js';
import { textStream } from '../../src/agents/command.js';
import { linesOf } from './read-capture.js';

/** True if usage is pending after captured starts in one session. */
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

  it.each(['claude-code', 'codex', 'gemini', 'opencode'])(
    'is incomplete for %s if it was killed while it worked',
    (agent) => {
      expect(pendingAfter(agent, 'kill-tool.1')).toBe(true);
    },
  );

  it.each([
    ['opencode', 'term-model.1'],
    ['pi', 'term-model.1'],
    ['gemini', 'term-model.1'],
  ])('is incomplete for %s if it was killed while its model was asked', (agent, capture) => {
    expect(pendingAfter(agent, capture)).toBe(true);
  });

  it.each([
    ['gemini', 'cut'],
    ['opencode', 'cut'],
  ])('is incomplete for %s if an answer was cut off', (agent, capture) => {
    expect(pendingAfter(agent, capture)).toBe(true);
  });

  it('is incomplete for gemini if its last answer was empty, which it does not count', () => {
    const parser = knownAgents({}).get('gemini')?.parser();
    for (const line of linesOf('gemini-ok')) if (!line.includes('"assistant"')) parser?.line(line);
    expect(parser?.usagePending()).toBe(true);
  });

  it('stays incomplete for opencode after a resume if it was killed between two steps', () => {
    const parser = knownAgents({}).get('opencode')?.parser();
    const step = (type: string, part: object) => parser?.line(JSON.stringify({ type, sessionID: 's', part }));
    const tokens = { input: 5, output: 1 };
    parser?.begin?.(1);
    step('step_start', {});
    step('step_finish', { reason: 'tool-calls', tokens });
    expect(parser?.usagePending()).toBe(true);
    step('step_start', {});
    step('step_finish', { reason: 'tool-calls', tokens });
    parser?.begin?.(2);
    step('step_start', {});
    step('step_finish', { reason: 'stop', tokens });
    expect(parser?.usagePending()).toBe(true);
  });

  it('is incomplete for pi if a message that has an answer reports no tokens', () => {
    const end = (stopReason: string, content: object[]) => {
      const parser = knownAgents({}).get('pi')?.parser();
      const usage = { input: 0, output: 0, totalTokens: 0 };
      const message = { role: 'assistant', content, stopReason, usage };
      for (const line of [{ type: 'turn_start' }, { type: 'message_end', message }]) parser?.line(JSON.stringify(line));
      return parser?.usagePending();
    };
    const text = [{ type: 'text', text: 'hi' }];
    expect([end('stop', text), end('aborted', text), end('error', text), end('error', [])]).toEqual([
      ...[true, true, true, false],
    ]);
  });

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

describe('a request for a summary, which pi makes and does not report', () => {
  it('leaves its usage incomplete', () => {
    const parser = knownAgents({}).get('pi')?.parser();
    for (const line of linesOf('pi-compact')) parser?.line(line);
    expect(parser?.usagePending()).toBe(true);
  });
});
