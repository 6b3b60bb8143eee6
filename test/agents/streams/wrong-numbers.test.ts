import { describe, expect, it } from 'vitest';
import type { StreamParser } from '../../../src/agents/agent.js';
import { presetOf } from '../../../src/agents/acp/presets.js';
import { acpStream } from '../../../src/agents/streams/acp.js';
import { claudeCodeStream } from '../../../src/agents/streams/claude-code.js';
import { codexStream } from '../../../src/agents/streams/codex.js';
import { geminiStream } from '../../../src/agents/streams/gemini.js';
import { opencodeStream } from '../../../src/agents/streams/opencode.js';
import { piStream } from '../../../src/agents/streams/pi.js';
import { createPricer } from '../../../src/model/cost.js';
import { EventBody } from '../../../src/model/records/events.js';
import { recordedUsage, createUsageMeter } from '../../../src/model/transcript/usage-meter.js';
import { NO_USAGE } from '../../../src/model/records/token-usage.js';

type Made = (change: Record<string, unknown>) => unknown[];

/** The lines of a short session of each agent, with changed counts in the second line. */
const sessions: Record<string, { stream: () => StreamParser; lines: Made; input: string }> = {
  'claude-code': {
    stream: claudeCodeStream,
    input: 'input_tokens',
    lines: (usage) => [
      { type: 'system', subtype: 'init', session_id: 's', model: 'm' },
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        usage: { input_tokens: 10, output_tokens: 5, ...usage },
      },
    ],
  },
  codex: {
    stream: codexStream,
    input: 'input_tokens',
    lines: (usage) => [
      { type: 'thread.started', thread_id: 't' },
      { type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 5, ...usage } },
    ],
  },
  gemini: {
    stream: geminiStream,
    input: 'input_tokens',
    lines: (usage) => [
      { type: 'message', role: 'assistant', content: 'hi' },
      {
        type: 'result',
        status: 'success',
        stats: { models: { m: { total_tokens: 15, input_tokens: 10, output_tokens: 5, ...usage } } },
      },
    ],
  },
  opencode: {
    stream: opencodeStream,
    input: 'input',
    lines: (usage) => [
      { type: 'step_start', sessionID: 's', part: {} },
      {
        type: 'step_finish',
        sessionID: 's',
        part: { reason: 'stop', cost: 0.5, tokens: { input: 10, output: 5, ...usage } },
      },
    ],
  },
  acp: {
    stream: () => acpStream(presetOf('qwen').reading),
    input: 'inputTokens',
    lines: (usage) => [
      { acp: 'prompt', id: 1 },
      {
        method: 'session/update',
        params: {
          update: {
            sessionUpdate: 'agent_message_chunk',
            content: { type: 'text', text: 'hi' },
            _meta: { usage: { inputTokens: 10, outputTokens: 5, ...usage } },
          },
        },
      },
    ],
  },
  pi: {
    stream: piStream,
    input: 'input',
    lines: (usage) => [
      { type: 'session', id: 's' },
      {
        type: 'message_end',
        message: {
          role: 'assistant',
          content: [{ type: 'text', text: 'hi' }],
          stopReason: 'stop',
          model: 'm',
          usage: { input: 10, output: 5, totalTokens: 15, cost: { total: 0.5 }, ...usage },
        },
      },
    ],
  },
};
const all = Object.entries(sessions);

async function read(agent: string, lines: readonly unknown[]) {
  const parser = sessions[agent]?.stream() as StreamParser;
  parser.begin?.(1);
  const events = [...lines.flatMap((line) => parser.line(JSON.stringify(line))), ...parser.end()];
  for (const event of events) expect(EventBody.parse(event)).toEqual(event);
  const meter = createUsageMeter('m', await createPricer({ m: { input_per_mtok: 1, output_per_mtok: 1 } }));
  for (const event of events) meter.add(event);
  const usage = recordedUsage(meter.read(), !parser.usagePending());
  return { usage, problems: parser.problems?.() };
}

describe('the usage of a session', () => {
  it.each(all)('of %s is exact if its numbers are right', async (agent, { lines }) => {
    const { usage, problems } = await read(agent, lines({}));
    expect(usage.token_usage).toMatchObject({ input: 10, output: 5 });
    expect(usage.cost_usd).toBeGreaterThan(0);
    expect(problems).toMatchObject({ lines: 0, first: [] });
  });

  it.each(all.flatMap(([agent]) => [-1, 1.5, 2 ** 53, 1e300, '10', {}].map((value) => [agent, value] as const)))(
    'of %s is unknown, with a warning that names the line, if a number cannot be right: %j',
    async (agent, value) => {
      const { lines, input = '' } = sessions[agent] ?? {};
      const { usage, problems } = await read(agent, lines?.({ [input]: value }) ?? []);
      expect(usage).toMatchObject({ token_usage: NO_USAGE, cost_usd: null });
      expect(usage.cost_usd_at_least ?? 0).toBeGreaterThanOrEqual(0);
      expect(problems).toMatchObject({
        lines: 1,
        unread: false,
        first: [{ start: 1, line: 2, field: input }],
      });
      expect(problems?.first[0]?.message).toContain(`usage.${input}: expected a whole number`);
    },
  );

  it.each(all)('of %s is unknown if it is not reported', async (agent, { lines, input }) => {
    const { usage, problems } = await read(agent, lines({ [input]: undefined }));
    expect(usage.token_usage.input).toBeNull();
    expect([usage.cost_usd === null || usage.cost_source === 'reported', problems?.lines]).toEqual([true, 0]);
  });

  it.each(all)('of %s is unknown if it is zero, which no answer can be', async (agent, { lines }) => {
    const zero = {
      input_tokens: 0,
      output_tokens: 0,
      input: 0,
      output: 0,
      total_tokens: 0,
      totalTokens: 0,
      inputTokens: 0,
      outputTokens: 0,
    };
    const { usage } = await read(agent, lines(zero));
    expect(usage.token_usage).toEqual(NO_USAGE);
  });

  it('of codex is unknown without a report, until a later turn reports it', async () => {
    const lines = sessions['codex']?.lines({}) ?? [];
    const [begin, ,] = lines;
    const bare = { type: 'turn.completed' };
    expect((await read('codex', [begin, bare])).usage).toEqual({
      token_usage: NO_USAGE,
      cost_usd: null,
      cost_source: null,
    });
    const next = { type: 'turn.completed', usage: { input_tokens: 30, output_tokens: 7 } };
    expect((await read('codex', [begin, bare, next])).usage.token_usage).toMatchObject({
      input: 30,
      output: 7,
    });
  });

  it('of gemini is unknown for a model without counts, and a lower bound for the others', async () => {
    const known = { total_tokens: 15, input_tokens: 10, output_tokens: 5 };
    const message = { type: 'message', role: 'assistant', content: 'hi' };
    const result = (models: object) => ({ type: 'result', status: 'success', stats: { models } });
    expect((await read('gemini', [message, result({ m: {} })])).usage).toMatchObject({
      token_usage: NO_USAGE,
      cost_usd: null,
    });
    expect((await read('gemini', [message, result({ m: known, n: {} })])).usage).toMatchObject({
      token_usage: NO_USAGE,
      token_usage_at_least: { input: 10, output: 5 },
      cost_usd: null,
    });
  });

  it('of claude-code is a lower bound if the result does not say what was used', async () => {
    const init = { type: 'system', subtype: 'init', session_id: 's', model: 'm' };
    const usage = { input_tokens: 10, output_tokens: 1 };
    const message = { id: '1', model: 'm', content: [], usage };
    const lines = [init, { type: 'assistant', message }, { type: 'result', subtype: 'success', is_error: false }];
    expect((await read('claude-code', lines)).usage).toMatchObject({
      token_usage: NO_USAGE,
      token_usage_at_least: { input: 10 },
      cost_usd: null,
    });
  });

  it('is unknown if a part is larger than the whole', async () => {
    const { usage, problems } = await read('codex', sessions['codex']?.lines({ cached_input_tokens: 11 }) ?? []);
    expect(usage).toMatchObject({ token_usage: NO_USAGE, cost_usd: null });
    expect(problems?.first[0]?.message).toBe(
      'usage.input_tokens: expected at least 11, which is the sum of its parts, got 10',
    );
  });
});
