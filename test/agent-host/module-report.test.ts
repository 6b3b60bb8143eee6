import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { moduleAgent } from '../../src/agents/hosted.js';
import type { EventBody } from '../../src/model/records/events.js';
import { newFolder } from '../host/temporary.js';
import { type HostEnd, type HostTurn, runHost, writeFiles } from './run-host.js';

/** Runs a turn of an agent whose `respond` has this body. */
async function turnOf(body: string, turn: HostTurn = {}): Promise<HostEnd> {
  const folder = await newFolder();
  const text = `export const createAgent = ({ access }) => ({ async respond(input, { report }) { ${body} } });`;
  await writeFiles(folder, { 'agent.mjs': text });
  const module = join(folder, 'agent.mjs');
  return runHost(moduleAgent('mine', module, { args: [], models: [], env: {} }), folder, turn);
}
const typesOf = ({ events }: HostEnd): string[] => events.map(({ type }) => type);
const ofType = (events: readonly EventBody[], type: string): EventBody[] => events.filter((one) => one.type === type);

describe('what a module reports', () => {
  test('are its events, with the session of the run', async () => {
    const usage =
      "{ type: 'usage', input: 10, output: 5, reasoning: 1, cache_read: 100, cache_write: 0, cost_usd: 0.5 }";
    const ended = await turnOf(`
      report({ type: 'session', session_id: 'other', model_requested: null, model_used: 'm-1' });
      report({ type: 'tool_call', id: 'a', name: 'shell', input: null, command: 'make test' });
      report({ type: 'tool_result', id: 'a', exit_code: 2, is_error: true, output: 'no rule', truncated: false });
      report(${usage});
      return 'Done.';
    `);
    expect(typesOf(ended)).toEqual([
      ...['session', 'session', 'tool_call', 'tool_result', 'usage', 'message', 'result'],
    ]);
    expect(ended.events[1]).toMatchObject({ session_id: 'session-1', model_used: 'm-1' });
    expect(ofType(ended.events, 'tool_result')).toMatchObject([{ exit_code: 2, is_error: true }]);
    expect(ofType(ended.events, 'usage')).toMatchObject([{ input: 10, cost_usd: 0.5 }]);
    expect([ended.ending.ending, ended.replies]).toEqual(['done', ['Done.']]);
  });

  test('decides how the run ends, if it fails right after its provider did', async () => {
    const refused = "report({ type: 'error', message: 'invalid x-api-key', retryable: false, status: 401 });";
    const failed = await turnOf(`${refused} throw new Error('no answer');`);
    expect(failed.ending).toMatchObject({
      ending: 'unable',
      message: expect.stringContaining('key was refused') as string,
    });
    const limited = await turnOf(
      "report({ type: 'error', message: 'slow down', retryable: true, status: 429 }); throw new Error('no answer');",
    );
    expect(limited.ending).toMatchObject({ ending: 'unable', again: { why: 'busy' } });
    const recovered = await turnOf(`${refused} report({ type: 'reasoning', text: 'again' }); return 'Done.';`);
    expect(recovered.ending.ending).toBe('done');
    const itself = await turnOf(
      `${refused} report({ type: 'reasoning', text: 'again' }); throw new Error('a bug of mine');`,
    );
    expect(itself.ending.message).toContain('a bug of mine');
  });

  test('is invalid like the line of an agent that prints it, and the end is none of it', async () => {
    const wrong = await turnOf("report({ type: 'usage', input: -1 }); report({ type: 'nonsense' }); return 'Done.';");
    expect(ofType(wrong.events, 'unknown')).toHaveLength(2);
    for (const event of ["{ type: 'result', ending: 'done', exit_code: 0 }", 'null', "'done'"]) {
      const ended = await turnOf(`report(${event}); return 'Done.';`);
      expect(ended.ending.ending).not.toBe('done');
      expect(ended.stderr).toContain('report() takes');
    }
  });

  test('is about the model of the cell, with key and address', async () => {
    const body = 'return JSON.stringify(access);';
    const access = { key: 'the-key', baseUrl: 'http://127.0.0.1:1/v1' };
    const { replies } = await turnOf(body, { model: 'openai/gpt-5.5', access });
    expect(JSON.parse(replies[0] ?? '')).toEqual({ provider: 'openai', model: 'gpt-5.5', ...access });
    expect((await turnOf(body)).replies).toEqual(['null']);
  });
});
