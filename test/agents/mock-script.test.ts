import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mockScript } from '../../src/agents/mock-script.js';
import { mock } from '../../src/agents/mock.js';
import { ownEventStream } from '../../src/agents/streams/event-stream.js';
import type { EventBody } from '../../src/model/records/events.js';
import type { MockStep } from '../../src/agents/mock-schema.js';
import { newFolder } from '../host/temporary.js';

async function play(steps: MockStep[]) {
  const folder = await newFolder();
  const script = join(folder, 'steps.sh');
  writeFileSync(script, mockScript({ steps }));
  const { status, stdout } = spawnSync('sh', [script], { cwd: folder, encoding: 'utf8' });
  const parser = ownEventStream();
  const events: EventBody[] = stdout.split('\n').flatMap((line) => parser.line(line));
  expect(parser.end()).toEqual([]); // every line is an event
  return { events, status, folder };
}

it("the mock's shell script performs its steps in order, like the Node program", async () => {
  const run = `cat sub/a.txt; echo oops >&2; exit 3`;
  const { events, status, folder } = await play([
    { say: `it's "here"` },
    { write: { path: 'sub/a.txt', content: `é '$HOME'\n` } },
    { run },
    { tool_call: { name: 'own', id: 'o' } },
    { tool_result: { id: 'o', exit_code: 1 } },
    { usage: { input: 5 } },
    { exit: 4 },
    { say: 'never' },
  ]);
  expect(status).toBe(4);
  expect(readFileSync(join(folder, 'sub/a.txt'), 'utf8')).toBe(`é '$HOME'\n`);
  expect(events).toMatchObject([
    { type: 'message', text: `it's "here"` },
    { type: 'tool_call', id: 'mock-1', name: 'write', input: { path: 'sub/a.txt' } },
    { type: 'tool_result', id: 'mock-1', exit_code: 0, is_error: false },
    { type: 'tool_call', id: 'mock-2', name: 'shell', command: run },
    { type: 'tool_result', id: 'mock-2', exit_code: 3, is_error: true, output: `é '$HOME'\noops\n` },
    { type: 'tool_call', id: 'o', name: 'own', input: null },
    { type: 'tool_result', id: 'o', exit_code: 1, is_error: true },
    { type: 'usage', input: 5, output: 0, reasoning: null },
  ]);
  expect(events).toHaveLength(8);
});

it.each([
  ['quotes, backslashes and tabs', `a\t"b" \\n \\ 'c'\n`],
  ['control characters', 'bell \u0007 escape \u001b[31m return\r\n'],
  ['no newline at the end', 'one\ntwo'],
  ['empty lines', '\n\none\n\n'],
  ['nothing', ''],
  ['characters with a meaning for awk and sed', '& && \\& \\\\ %s %d $1 .\n'],
])("the mock's shell script reports the output of a command unchanged: %s", async (_, text) => {
  const octal = [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  const { events } = await play([{ run: `printf '${octal}'` }]);
  expect(events[1]).toMatchObject({ type: 'tool_result', output: text, truncated: false });
});

it("the mock's shell script does nothing without steps, and says so", async () => {
  const { events, status } = await play([]);
  expect([status, events]).toMatchObject([0, [{ type: 'message', role: 'assistant' }]]);
});

it('the mock is started with its shell script if there is no Node', () => {
  const request = {
    prompt: 'p',
    model: 'm',
    workspace: '/w',
    home: '/h',
    config: '/c',
    sessionId: 's',
    maxTurns: null,
    system: null,
    access: null,
    mock: { steps: [{ say: 'x' }] },
    hasNode: false,
  };
  const { argv, files } = mock.launch(request);
  expect(argv).toEqual(['sh', '/c/mock-steps.sh']);
  expect(files).toEqual([{ path: '/c/mock-steps.sh', content: mockScript({ steps: [{ say: 'x' }] }) }]);
  execFileSync('sh', ['-n', '-c', files[0]?.content ?? 'false']);
});
