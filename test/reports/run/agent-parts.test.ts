import fc from 'fast-check';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { StreamParser } from '../../../src/agents/agent.js';
import { claudeCodeStream } from '../../../src/agents/streams/claude-code.js';
import { codexStream } from '../../../src/agents/streams/codex.js';
import { eventStream } from '../../../src/agents/streams/event-stream.js';
import { geminiStream } from '../../../src/agents/streams/gemini.js';
import { opencodeStream } from '../../../src/agents/streams/opencode.js';
import { piStream } from '../../../src/agents/streams/pi.js';
import { textStream } from '../../../src/agents/command.js';
import { textWidth } from '../../../src/lib/format/table.js';
import type { EventBody } from '../../../src/model/records/events.js';
import { type ActionLog, createActionCollector } from '../../../src/model/transcript/action-log.js';
import { fitScreen } from '../../../src/reports/blocks/screen.js';
import { agentParts } from '../../../src/reports/run/actions.js';
import { eventsOf } from '../../agents/read-capture.js';
import { say, shell } from '../../model/transcripts.js';
import { hostile } from '../hostile.js';

function logOf(events: readonly (EventBody & { attempt?: number })[]): ActionLog {
  const collector = createActionCollector();
  for (const [at, event] of events.entries()) collector.add({ ts: '', seq: at + 1, attempt: 1, ...event });
  return collector.end();
}

const lines = (log: ActionLog, height = Infinity, width = 80, calls: number | null = null): string[] =>
  fitScreen(agentParts(log, width, calls), { width, height, seeAll: 'add --all' }).map((line) =>
    stripVTControlCharacters(line),
  );
const show = (...args: Parameters<typeof lines>): string => lines(...args).join('\n');
const parsed = (parser: StreamParser, ...names: string[]): string => show(logOf(eventsOf(parser, ...names)));

describe('what an agent did, by the agent', () => {
  test.each([
    ['claude-code', claudeCodeStream],
    ['codex', codexStream],
    ['opencode', opencodeStream],
    ['pi', piStream],
  ])('%s: commands with their exit codes, and the last message', (agent, parser) => {
    const text = parsed(parser(), `${agent}-toolerror`);
    expect(text).toContain('2 commands, 1 failed\n  exit 3  $ echo out1; echo oops >&2; exit 3\n');
    expect(text).toContain('\n  exit 0  $ echo hello > out.txt\n\nanswer\n  Recovered.');
  });
  test('gemini: the same, but it does not report exit codes', () => {
    const text = parsed(geminiStream(), 'gemini-toolerror');
    expect(text).toContain('2 commands\n  exit n/a  $ echo out1; echo oops >&2; exit 3\n');
    expect(text).toContain('\nanswer\n  Recovered.');
  });
  test('a jsonl command and the mock: commands, and other tool calls', () => {
    const events = [
      ...shell('stock add lamps'),
      { type: 'tool_call', id: 'w', name: 'write', input: { path: 'a.md' }, command: null } as const,
      say('Done.'),
    ];
    const parser = eventStream();
    const read = [...events.flatMap((event) => parser.line(JSON.stringify(event))), ...parser.end()];
    expect(show(logOf(read))).toBe(
      [
        ...['', '1 command, 1 other tool call'],
        ...['  exit 0      $ stock add lamps', '  unfinished  write {"path":"a.md"}'],
        ...['', 'answer', '  Done.'],
      ].join('\n'),
    );
  });
  test('a text agent: says that its commands are unknown, and shows the end of its output', () => {
    const parser = textStream();
    const output = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const read = [...output.flatMap((line) => parser.line(line)), ...parser.end()];
    const text = show(logOf(read), 8, 80, 2);
    expect(text).toContain('The agent printed text, so its commands are unknown.');
    expect(text).toMatch(/called\s+2\s+times/);
    expect(text).toMatch(/output\n {2}line 19\nnot shown: 19 output lines; add --all$/);
  });
  test('an agent that called nothing', () => {
    const usage = {
      input: 1,
      output: 1,
      reasoning: null,
      cache_read: null,
      cache_write: null,
      cost_usd: null,
    };
    expect(show(logOf([{ type: 'usage', ...usage }, say('No.')]))).toContain(
      'The agent ran no commands and called no tools.',
    );
  });
});

describe('what an agent did', () => {
  test('shows the first line of the output of what failed', () => {
    const [call, result] = shell('make', { exit_code: 2 });
    const output = 'Exit code 2\n\nmake: no rule\nmore';
    const text = show(logOf([call, { ...result, output }] as EventBody[]));
    expect(text).toContain('1 command, 1 failed\n  exit 2  $ make\n      make: no rule');
  });
  test('says n/a for an exit code that the agent does not report', () => {
    expect(show(logOf(shell('make', { exit_code: null })))).toContain('exit n/a  $ make');
    expect(show(logOf(shell('make', { exit_code: null, is_error: true })))).toContain('failed  $ make');
  });
  test('does not give the result of one start to a call of another with the same id', () => {
    const [call, result] = shell('one');
    const events = [call, { ...result, attempt: 2 }, { ...call, attempt: 2 }] as EventBody[];
    expect(logOf(events).actions.map(({ end }) => end === null)).toEqual([false, true]);
    expect(logOf([call, { ...call, attempt: 2 }, { ...result, attempt: 2 }] as EventBody[]).actions[0]?.end).toBeNull();
  });
  test('keeps the first and the last commands on a small screen', () => {
    const log = logOf(Array.from({ length: 50 }, (_, at) => shell(`tool ${at}`)).flat());
    expect(lines(log, 8)).toEqual([
      ...['', '50 commands', '  exit 0  $ tool 0', '  exit 0  $ tool 1', '  …', '  exit 0  $ tool 48'],
      ...['  exit 0  $ tool 49', 'not shown: 46 commands; add --all'],
    ]);
  });
  test('no line is wider than the terminal, and shown and missing commands add up', () => {
    const commands = fc.array(fc.tuple(hostile, fc.integer({ min: 0, max: 2 })), {
      minLength: 1,
      maxLength: 30,
    });
    const size = fc.record({
      width: fc.integer({ min: 30, max: 120 }),
      height: fc.integer({ min: 4, max: 40 }),
    });
    fc.assert(
      fc.property(commands, hostile, size, (given, answer, { width, height }) => {
        const log = logOf([
          ...given.flatMap(([command, exit_code]) => {
            const [call, result] = shell(command, { exit_code });
            return [call, { ...result, output: answer }] as EventBody[];
          }),
          say(answer),
        ]);
        const shown = lines(log, height, width);
        for (const line of shown) {
          expect(textWidth(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/\p{Cc}/u);
        }
        expect(shown.length).toBeLessThanOrEqual(height);
        const missing = Number(
          /(\d+) commands?\b/.exec(shown.slice(-2).join(' ').split('not shown')[1] ?? '')?.[1] ?? 0,
        );
        const rows = shown.filter((line) => /^ {2}exit \d {2}\$/.test(line)).length;
        expect(rows + missing).toBe(given.length);
      }),
    );
  });
});
