import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mock } from '../../src/agents/mock.js';
import { ownEventStream } from '../../src/agents/streams/event-stream.js';
import type { EventBody } from '../../src/model/records/events.js';
import type { MockStep } from '../../src/agents/mock-schema.js';
import { compileSources } from '../host/compiled.js';
import { allGone, killWhenFinished, uniqueSeconds } from '../host/processes.js';
import { newFolder } from '../host/temporary.js';

const compiled = await compileSources();

interface Played {
  events: EventBody[];
  exitCode: number | undefined;
  workspace: string;
}

/** Performs steps in a new workspace, as the supervisor would start them. */
async function play(steps: MockStep[]): Promise<Played> {
  const folder = await newFolder();
  const [workspace, file] = [join(folder, 'work'), join(folder, 'steps.json')];
  mkdirSync(workspace);
  writeFileSync(file, JSON.stringify({ steps }));
  const program = compiled.file('agents/mock-program.js');
  // To a file, as under the supervisor: a pipe would wait for all processes that hold it open.
  const out = join(folder, 'out');
  const { exitCode } = await compiled.run(program, [file], {
    cwd: workspace,
    stdin: 'ignore',
    stdout: { file: out },
    stderr: 'ignore',
  });
  const parser = ownEventStream();
  const events = readFileSync(out, 'utf8')
    .split('\n')
    .flatMap((line) => parser.line(line));
  expect(parser.end()).toEqual([]); // every line is an event
  return { events, exitCode, workspace };
}

describe('the mock', () => {
  it('performs its steps in order, in the workspace, and reports them', async () => {
    const { events, exitCode, workspace } = await play([
      { say: 'hello' },
      { write: { path: 'sub/a.txt', content: 'é\n' } },
      { run: 'cat sub/a.txt; echo oops >&2; exit 3' },
    ]);
    expect(readFileSync(join(workspace, 'sub/a.txt'), 'utf8')).toBe('é\n');
    expect(exitCode).toBe(0);
    const shell = { command: 'cat sub/a.txt; echo oops >&2; exit 3' };
    expect(events).toEqual([
      { type: 'message', role: 'assistant', text: 'hello' },
      { type: 'tool_call', id: 'mock-1', name: 'write', input: { path: 'sub/a.txt' }, command: null },
      { type: 'tool_result', id: 'mock-1', exit_code: 0, is_error: false, output: '', truncated: false },
      { type: 'tool_call', id: 'mock-2', name: 'shell', input: shell, command: shell.command },
      {
        type: 'tool_result',
        id: 'mock-2',
        exit_code: 3,
        is_error: true,
        output: 'é\noops\n',
        truncated: false,
      },
    ]);
  });

  it('says that it did nothing if it has no steps, and completes', async () => {
    const { events, exitCode } = await play([]);
    expect(events).toMatchObject([
      { type: 'message', role: 'assistant', text: expect.stringContaining('did nothing') as string },
    ]);
    expect(exitCode).toBe(0);
  });

  it('ends with the exit status of a step, and performs no further steps', async () => {
    const { events, exitCode, workspace } = await play([
      { say: 'before' },
      { exit: 7 },
      { write: { path: 'after', content: '' } },
    ]);
    expect(exitCode).toBe(7);
    expect(events).toHaveLength(1);
    expect(existsSync(join(workspace, 'after'))).toBe(false);
  });

  it('prints scripted tool calls and results without performing them, with matching ids', async () => {
    const { events } = await play([
      { tool_call: { name: 'search', input: { q: 1 } } },
      { tool_result: { output: 'found' } },
      { tool_call: { id: 'own', name: 'shell', command: 'x' } },
      { tool_result: { id: 'own', exit_code: 2 } },
    ]);
    expect(events).toEqual([
      { type: 'tool_call', id: 'mock-1', name: 'search', input: { q: 1 }, command: null },
      {
        type: 'tool_result',
        id: 'mock-1',
        exit_code: null,
        is_error: false,
        output: 'found',
        truncated: false,
      },
      { type: 'tool_call', id: 'own', name: 'shell', input: null, command: 'x' },
      { type: 'tool_result', id: 'own', exit_code: 2, is_error: true, output: '', truncated: false },
    ]);
  });

  it('waits as long as a step says', async () => {
    const startedAt = performance.now();
    await play([{ wait_secs: 0.5 }]);
    expect(performance.now() - startedAt).toBeGreaterThan(500);
  });

  it('limits the output of a command and marks it as truncated', async () => {
    const { events } = await play([{ run: "head -c 3000000 /dev/zero | tr '\\0' x" }]);
    expect(events[1]).toMatchObject({ type: 'tool_result', exit_code: 0, truncated: true });
    // The mark of the cut is added: redaction looks for parts of secrets before it.
    const output = events[1]?.type === 'tool_result' ? events[1].output : '';
    expect(output).toBe(`${'x'.repeat(64 * 1024)}…`);
  });

  it('reports a command killed by a signal as an error without an exit code', async () => {
    const { events } = await play([{ run: 'kill -KILL $$' }]);
    expect(events[1]).toMatchObject({ type: 'tool_result', exit_code: null, is_error: true });
  });

  it('does not wait for background processes of a command', async () => {
    const seconds = uniqueSeconds();
    killWhenFinished(seconds);
    const { events } = await play([{ run: `sleep ${seconds} & echo started` }, { say: 'next' }]);
    expect(events[1]).toMatchObject({ type: 'tool_result', exit_code: 0, output: 'started\n' });
    expect(await allGone(seconds, 0)).toBe(false); // the supervisor ends it, as with any agent
  });

  it('is started with its steps in a private file, and is free', () => {
    const launch = mock.launch({
      prompt: 'p',
      model: 'default',
      workspace: '/w',
      home: '/h',
      config: '/c',
      sessionId: 's',
      maxTurns: null,
      system: null,
      access: null,
      mock: { steps: [{ say: 'x' }] },
      hasNode: true,
    });
    expect(mock.free).toBe(true);
    expect(launch.argv.slice(2)).toEqual(['/c/mock-steps.json']);
    expect(launch.files).toEqual([{ path: '/c/mock-steps.json', content: '{"steps":[{"say":"x"}]}' }]);
  });
});
