import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { watchOutput } from '../../src/activities/agent/watch-output.js';
import { knownAgents } from '../../src/agents/known-agents.js';
import { startFiles } from '../../src/environments/journal.js';
import type { RunEvent } from '../../src/model/records/events.js';
import type { AgentProgress } from '../../src/protocol/index.js';
import { linesOf } from '../agents/read-capture.js';
import { until } from '../commands/project.js';
import { newFolder } from '../host/temporary.js';
import type { LoadedRun, RunAccess } from '../../src/activities/run/context.js';

const agents = knownAgents({
  text: { args: [], models: [], env: {} },
  events: { args: [], models: [], env: {}, output: 'jsonl' },
});

/** Watches the output of an agent that this test plays. */
async function watch(agent: string, { maxUsd, exitMs = 60_000 }: { maxUsd?: number; exitMs?: number } = {}) {
  const folder = await newFolder();
  const handle = { journal: join(folder, 'agent') };
  const { stdout } = startFiles(handle, 1);
  mkdirSync(dirname(stdout), { recursive: true });
  writeFileSync(stdout, '');
  const live = join(folder, 'run', 'artifacts', 'events.live.jsonl');
  const context = {
    handle,
    agent: agents.get(agent),
    turn: { number: 1, at: 0 },
    plan: { prices: {} },
    scenario: { cost: maxUsd === undefined ? {} : { max_usd: maxUsd } },
    run: { cell: { model: 'm' } },
    files: { liveEvents: live },
    redact: (text: string) => text,
  } as unknown as LoadedRun & RunAccess;
  const reported: AgentProgress[] = [];
  let superseded = false;
  const stops: string[] = [];
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  const watching = watchOutput(context, { start: 1, earlier: [], resumed: false }, over, {
    stop: (reason) => Promise.resolve(stops.push(reason)),
    exitMs,
    fence: { check: () => (superseded ? Promise.reject(new Error('superseded')) : Promise.resolve()) },
    onProgress: (progress) => void reported.push(progress),
  });
  return {
    live,
    reported,
    stops,
    print: (...lines: string[]) => appendFileSync(stdout, lines.map((line) => `${line}\n`).join('')),
    untilDoing: (doing: string) =>
      until(`the agent is doing ${doing}`, () => reported.find((progress) => progress.doing === doing) ?? null),
    supersede: () => (superseded = true),
    end: () => {
      end();
      return watching;
    },
    recorded: () =>
      readFileSync(live, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as RunEvent),
  };
}

test.each([
  ['claude-code', 'claude-code-ok'],
  ['codex', 'codex-ok'],
  ['opencode', 'opencode-ok'],
  ['gemini', 'gemini-ok'],
  ['pi', 'pi-ok'],
])('the events of %s are recorded while it works', async (agent, capture) => {
  const { print, reported, end, recorded } = await watch(agent);
  print(...linesOf(capture));
  await until('something is reported', () => reported[0] ?? null);
  await end();
  expect(reported.at(-1)?.doing).toMatch(/\w/);
  expect(recorded().map(({ type }) => type)).toContain('tool_call');
  expect(reported.at(-1)?.events).toBe(recorded().length);
});

/** A line that reports a cost. */
const usage = (usd: number): string =>
  JSON.stringify({
    type: 'usage',
    input: null,
    output: null,
    reasoning: null,
    cache_read: null,
    cache_write: null,
    cost_usd: usd,
  });

test('the last line of an agent that prints text is what it is doing', async () => {
  const { print, untilDoing, end, recorded } = await watch('text');
  print('reading', '', 'writing');
  await untilDoing('writing');
  print('done');
  await end();
  expect(recorded()).toMatchObject([
    { seq: 1, attempt: 1, type: 'message', text: 'reading' },
    { seq: 2, text: 'writing' },
    { seq: 3, text: 'done' },
  ]);
});

test('what the agent has cost so far is reported, and it is stopped once beyond its limit', async () => {
  const { print, reported, stops, end } = await watch('events', { maxUsd: 1 });
  print(usage(0.75));
  await until('a cost', () => (reported.at(-1)?.costUsd === 0.75 ? true : null));
  expect(stops).toHaveLength(0);
  print(usage(0.5));
  await until('a stop', () => (stops.length > 0 ? true : null));
  print(usage(0.5));
  await end();
  expect(stops).toHaveLength(1);
  expect(reported.at(-1)?.costUsd).toBe(1.75);
});

test('an agent that prints nothing after its result is stopped, unless it goes on', async () => {
  const result = '{"type":"result","ending":"done","exit_code":null}';
  const [goesOn, waits] = [await watch('events', { exitMs: 1 }), await watch('claude-code', { exitMs: 1 })];
  goesOn.print(result, '{"type":"message","role":"assistant","text":"and another thing"}');
  // A task in the background is open.
  waits.print(...linesOf('claude-code-background').slice(0, 7));
  await Promise.all([goesOn.untilDoing('and another thing'), waits.untilDoing('It is done.')]);
  const hangs = await watch('events', { exitMs: 1 });
  hangs.print(result);
  await until('a stop', () => (hangs.stops.length > 0 ? true : null));
  await Promise.all([goesOn, waits, hangs].map(({ end }) => end()));
  expect([goesOn.stops, waits.stops, hangs.stops]).toEqual([[], [], ['result']]);
});

test('an agent does not notice that its events cannot be recorded, and its cost is still limited', async () => {
  const { live, print, end, reported, stops } = await watch('events', { maxUsd: 1 });
  mkdirSync(live, { recursive: true });
  print(usage(2));
  await until('a stop', () => (stops.length > 0 ? true : null));
  await end();
  expect(reported).toEqual([]);
});

test('an attempt that another one has replaced records nothing more', async () => {
  const { print, untilDoing, supersede, end, recorded } = await watch('text');
  print('reading');
  await untilDoing('reading');
  supersede();
  print('writing');
  await end();
  expect(recorded()).toMatchObject([{ seq: 1, text: 'reading' }]);
});
