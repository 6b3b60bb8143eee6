import { appendFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLiveEvents } from '../../src/activities/agent/live-events.js';
import { tailEvents } from '../../src/client/follow/tail-events.js';
import { createRedactor } from '../../src/lib/redaction/redact.js';
import type { EventBody, RunEvent } from '../../src/model/records/events.js';
import { newFolder } from '../host/temporary.js';
import type { LoadedRun, RunAccess } from '../../src/activities/run/context.js';

const SECRET = 'hunter2-hunter2-hunter2';

async function newRun() {
  const path = join(await newFolder(), 'artifacts', 'events.live.jsonl');
  const context = {
    files: { liveEvents: path },
    agent: { login: null },
    redact: createRedactor({ secrets: [SECRET] }),
  } as unknown as LoadedRun & RunAccess;
  const record = async (start: number, events: EventBody[], limit?: number) => {
    const live = createLiveEvents(context, start, limit);
    for (const event of events) live.add(event);
    return live.flush();
  };
  const recorded = (): RunEvent[] =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as RunEvent);
  return { path, context, record, recorded };
}

const say = (text: string): EventBody => ({ type: 'message', role: 'assistant', text });
const texts = (events: RunEvent[]) =>
  events.map((event) => [event.seq, event.attempt, event.type === 'message' ? event.text : '']);

test('a worker that adopts the agent continues where the one before stopped', async () => {
  const { record, recorded } = await newRun();
  await record(1, [say('a'), say('b')]);
  expect(await record(1, [say('a'), say('b'), say('c')])).toBe('c');
  await record(2, [say('a')]);
  expect(texts(recorded())).toEqual([
    [1, 1, 'a'],
    [2, 1, 'b'],
    [3, 1, 'c'],
    [4, 2, 'a'],
  ]);
});

test('calls of MCP servers are recorded once, wherever they are among the events of the output', async () => {
  const { record, recorded } = await newRun();
  const served = (tool: string, text = ''): EventBody => ({
    type: 'mcp_call',
    server: 'files',
    tool,
    arguments: { text },
    result: { text },
    error: null,
    is_error: false,
    duration_ms: 1,
    mocked: false,
  });
  await record(1, [say('a'), served('read'), say('b')]);
  await record(1, [served('read'), say('a'), served('write', SECRET), say('b'), say('c')]);
  const events = recorded();
  expect(events.map((event) => [event.seq, 'tool' in event ? event.tool : event.type])).toEqual([
    ...[
      [1, 'message'],
      [2, 'read'],
      [3, 'message'],
    ],
    ...[
      [4, 'write'],
      [5, 'message'],
    ],
  ]);
  expect(events[3]).toMatchObject({ arguments: { text: '[REDACTED]' }, result: { text: '[REDACTED]' } });
});

test('half a line of a killed worker is skipped, and its event is recorded again', async () => {
  const { path, record } = await newRun();
  await record(1, [say('a')]);
  const tail = tailEvents(path);
  expect(texts(tail.read())).toEqual([[1, 1, 'a']]);
  appendFileSync(path, '{"seq":2,"attem');
  expect(tail.read()).toEqual([]);
  await record(1, [say('a'), say('b')]);
  expect(texts(tail.read())).toEqual([[2, 1, 'b']]);
  tail.close();
  expect(texts(tailEvents(path).read())).toHaveLength(2);
});

test('events that a frozen worker has repeated are shown once', async () => {
  const { path, context } = await newRun();
  const [one, other] = [createLiveEvents(context, 1), createLiveEvents(context, 1)];
  for (const live of [one, other]) live.add(say('a'));
  await Promise.all([one.flush(), other.flush()]);
  expect(texts(tailEvents(path).read())).toEqual([[1, 1, 'a']]);
});

test('the last events are read even if the file has just been removed', async () => {
  const { path, record } = await newRun();
  await record(1, [say('a')]);
  const tail = tailEvents(path);
  tail.read();
  await record(1, [say('a'), say('b')]);
  rmSync(path);
  expect(texts(tail.read())).toEqual([[2, 1, 'b']]);
  tail.close();
});

test('a worker that wakes up after the run is over does not create the file again', async () => {
  const { path, context } = await newRun();
  const live = createLiveEvents(context, 1);
  live.add(say('a'));
  await live.flush();
  rmSync(path);
  live.add(say('b'));
  await expect(live.flush()).rejects.toThrow('ENOENT');
  expect(existsSync(path)).toBe(false);
});

test('secrets are masked in the file and in what the agent is doing, also where a text is cut', async () => {
  const { path, record } = await newRun();
  const doing = await record(1, [
    say('x'.repeat(3990) + SECRET),
    { type: 'tool_call', id: '1', name: 'Bash', input: { command: 'x' }, command: `login ${SECRET}` },
  ]);
  expect(doing).toBe('$ login [REDACTED]');
  expect(readFileSync(path, 'utf8')).not.toContain('hunter2');
});

test('the file does not grow beyond its limit, but what the agent is doing stays known', async () => {
  const { path, record } = await newRun();
  await record(1, [say('x'.repeat(100_000))], 20_000);
  expect(statSync(path).size).toBeLessThan(5000);
  const events = Array.from({ length: 100 }, (_, at) => say(`${at} ${'y'.repeat(1000)}`));
  expect(await record(1, [say('x'.repeat(100_000)), ...events], 20_000)).toMatch(/^99 y/);
  expect(statSync(path).size).toBeLessThan(20_000);
});
