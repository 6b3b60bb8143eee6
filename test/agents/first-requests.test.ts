import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RequestReader } from '../../src/agents/request-reader.js';
import type { FirstRequest } from '../../src/model/records/agent-work.js';
import { linesOf } from './read-capture.js';
import { capturesOf } from './requests.js';
import { claudeCodeRequest } from '../../src/agents/claude-code.js';
import { codexRequest } from '../../src/agents/codex.js';
import { loopRequest } from '../../src/agents/loop/loop.js';
import { geminiRequest } from '../../src/agents/gemini.js';
import { opencodeRequest } from '../../src/agents/opencode.js';
import { piRequest } from '../../src/agents/pi.js';

/** Returns what a reader finds in lines; null: nothing. */
function find(reader: RequestReader, lines: readonly string[]): FirstRequest | null {
  for (const line of lines) {
    const found = reader.line(line);
    if (found !== null) return found;
  }
  return null;
}

const logOf = (agent: string): string[] =>
  readFileSync(new URL(`./session-logs/${agent}.jsonl`, import.meta.url), 'utf8').split('\n');
const without = (lines: readonly string[], pattern: RegExp): string[] => {
  const at = lines.findIndex((line) => pattern.test(line));
  expect(at).toBeGreaterThan(-1);
  return lines.filter((_, index) => index !== at);
};
const NOT_COUNTED = { tokens: null, unknown: 'the provider has not counted its tokens' };

describe('the first request of', () => {
  it.each([
    ['claude-code', claudeCodeRequest, 1100],
    ['opencode', opencodeRequest, 1000],
    ['pi', piRequest, 1000],
  ] as const)('%s is what its first answer was sent, with what came from a cache', (agent, reader, tokens) => {
    expect(find(reader(), linesOf(`${agent}-ok`))).toEqual({ tokens });
    // Its own messages about errors are no answer.
    expect(find(reader(), linesOf(`${agent}-bad-key`))).toBeNull();
  });

  it.each([
    ['claude-code', claudeCodeRequest],
    ['opencode', opencodeRequest],
    ['pi', piRequest],
  ] as const)('%s is found in every stream that begins with a whole answer', (agent, reader) => {
    for (const capture of capturesOf(agent)) {
      const found = find(reader(), linesOf(capture));
      if (found !== null) expect([capture, found.unknown]).toEqual([capture, undefined]);
    }
  });

  it('codex and gemini is in the log of the session, and not the sum of all requests', () => {
    expect(find(codexRequest(), logOf('codex'))).toEqual({ tokens: 9510 });
    expect(find(geminiRequest(), logOf('gemini'))).toEqual({ tokens: 11740 });
  });

  it('loop is what was sent again, if the answer to the first was lost', () => {
    const line = (event: object): string => JSON.stringify(event);
    const usage = { type: 'usage', input: 1000, output: 50, cache_read: 100, cache_write: null };
    const lost = [line({ type: 'unknown', kind: 'lost' }), line({ ...usage, input: null, cache_read: null })];
    const later = line({ ...usage, input: 5000 });
    const session = line({ type: 'session' });
    expect(find(loopRequest(), [session, line(usage), later])).toEqual({ tokens: 1100 });
    expect(find(loopRequest(), [session, ...lost, ...lost, line(usage), later])).toEqual({ tokens: 1100 });
    expect(find(loopRequest(), [session, line({ ...usage, input: null }), later])).toEqual(NOT_COUNTED);
    expect(find(loopRequest(), [session])).toBeNull();
  });

  it('codex is unknown if its first answer was cut off before its usage', () => {
    const cut = { tokens: null, unknown: 'the first answer of its model was cut off' };
    expect(find(codexRequest(), without(logOf('codex'), /token_usage_record/))).toEqual(cut);
    const started = logOf('codex').find((line) => line.includes('task_started')) ?? '';
    expect(find(codexRequest(), [started, ...logOf('codex')])).toEqual(cut);
  });

  it('gemini is unknown if its first message has no tokens, which may be given those of a later one', () => {
    const bare = logOf('gemini').map((line) => line.replace(/"tokens":\{[^}]*\},/, ''));
    expect(find(geminiRequest(), [bare.find((line) => line.includes('"gemini"')) ?? '', ...logOf('gemini')])).toEqual(
      NOT_COUNTED,
    );
  });

  it('opencode is unknown if its first step did not finish', () => {
    const lines = without(linesOf('opencode-ok'), /step_finish/);
    expect(find(opencodeRequest(), lines)).toEqual({
      tokens: null,
      unknown: 'its first step did not finish',
    });
  });

  it('pi is unknown if a tool began before any tokens were reported', () => {
    const lines = without(linesOf('pi-ok'), /"message_end".*"role":"assistant"/);
    expect(find(piRequest(), lines)).toEqual({
      tokens: null,
      unknown: 'the first answer of its model reports no tokens',
    });
  });

  it('is unknown if it is larger than a number that can be stored', () => {
    const tokens = { input: Number.MAX_SAFE_INTEGER, cache: { read: 1, write: 0 } };
    const lines = [{ type: 'step_start' }, { type: 'step_finish', part: { tokens } }];
    expect(
      find(
        opencodeRequest(),
        lines.map((line) => JSON.stringify(line)),
      ),
    ).toEqual(NOT_COUNTED);
  });

  it('claude-code is unknown if the provider reports zeros, and that of a subagent does not count', () => {
    const answer = (input: number, parent: string | null) =>
      JSON.stringify({
        type: 'assistant',
        parent_tool_use_id: parent,
        message: { model: 'm', usage: { input_tokens: input } },
      });
    expect(find(claudeCodeRequest(), [answer(0, null)])).toEqual(NOT_COUNTED);
    expect(find(claudeCodeRequest(), [answer(5, 'toolu_1'), answer(7, null)])).toEqual({ tokens: 7 });
  });

  it('nothing is found in lines of another form', () => {
    for (const reader of [claudeCodeRequest, codexRequest, geminiRequest, opencodeRequest, piRequest])
      expect(find(reader(), ['', 'text', '[]', 'null', '{"type":1}', '{"payload":null}'])).toBeNull();
  });
});
