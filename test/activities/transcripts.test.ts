import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { AgentOutput } from '../../src/activities/agent/outputs.js';
import { writeTranscripts } from '../../src/activities/agent/transcripts.js';
import { eventStream } from '../../src/agents/streams/event-stream.js';
import type { EventBody } from '../../src/model/records/events.js';
import type { LoadedRun, RunAccess } from '../../src/activities/run/context.js';

/** Reads lines as output of an agent in one or several starts; the transcripts keep the first `limit` bytes of each. */
async function transcribe(lines: (object | string)[], limit: number, ...later: (object | string)[][]) {
  const folder = mkdtempSync(join(tmpdir(), 'transcripts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const outputs = [lines, ...later].map((lines, index): AgentOutput => {
    const [stdout, stderr] = [join(folder, `out-${index}`), join(folder, `err-${index}`)];
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    writeFileSync(stdout, text.map((line) => `${line}\n`).join(''));
    writeFileSync(stderr, '');
    return {
      start: index + 1,
      resumed: index > 0,
      exitCode: 0,
      stopped: null,
      stdout,
      stderr,
      growth: join(folder, 'growth'),
      startedAt: 0,
      printedAt: 0,
      endedAt: 1,
    };
  });
  const files = {
    folder: join(folder, 'run'),
    events: join(folder, 'events.jsonl'),
    rawTranscript: join(folder, 'raw.txt'),
  };
  const seen: EventBody[] = [];
  const leftOut = await writeTranscripts(
    { files, redact: (text: string) => text, agent: { resume: null } } as unknown as LoadedRun & RunAccess,
    outputs,
    eventStream,
    {
      before: [],
      messages: new Map(),
      mcp: new Map(),
      emit: (event) => void seen.push(event),
      after: () => [],
    },
    limit,
  );
  const read = (file: string): string => readFileSync(file, 'utf8');
  return { leftOut, seen, events: read(files.events), raw: read(files.rawTranscript) };
}

const message = (text: string) => ({ type: 'message', role: 'assistant', text });
const call = { type: 'tool_call', id: 'a', name: 'Bash', input: null, command: 'rm -rf /' };

it('reads output that is too long for the transcripts to its end, so that counts are right', async () => {
  const { leftOut, seen, events, raw } = await transcribe([message('x'.repeat(400)), call, message('end')], 500);
  expect(seen.map(({ type }) => type)).toEqual(['message', 'tool_call', 'message']);
  expect(events.trim().split('\n')).toHaveLength(1);
  expect(raw).toMatch(/\[only the first 500 bytes are shown\]\n$/);
  expect(leftOut).toMatchObject({ transcripts: true, lines: false });
});

it('says when a line was too long to be read', async () => {
  const { leftOut } = await transcribe([message('x'.repeat(5 * 1024 * 1024)), call], 8 * 1024 * 1024);
  expect(leftOut).toMatchObject({ transcripts: false, lines: true, problems: { lines: 1, unread: true } });
});

it('leaves nothing out of short output', async () => {
  const { leftOut, events } = await transcribe([message('x'), call], 500);
  expect(leftOut).toMatchObject({ transcripts: false, lines: false, problems: { lines: 0, unread: false } });
  expect(events.trim().split('\n')).toHaveLength(2);
});

it('numbers the lines that are not events in each start of the agent', async () => {
  const { leftOut, events } = await transcribe([call, 'noise'], 500, ['{"type":"message"}', message('x')], []);
  expect(leftOut.problems).toMatchObject({ lines: 2, events: 2, unread: true });
  expect(leftOut.problems?.first.map(({ start, line }) => [start, line])).toEqual([
    [1, 2],
    [2, 1],
  ]);
  expect(events).toContain('"attempt":2,"type":"unknown","kind":"line 1 is not an event"');
});
