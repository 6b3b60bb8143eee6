import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mock } from '../../src/agents/mock.js';
import { eventStream } from '../../src/agents/streams/plain.js';
import type { EventBody } from '../../src/results/records/events.js';
import type { MockStep } from '../../src/scenario/mock.js';
import { compileSources } from '../platform/compiled.js';
import { allGone, killWhenFinished, uniqueSeconds } from '../platform/processes.js';
import { newFolder } from '../platform/temporary.js';

const compiled = await compileSources('agents', 'results', 'scenario');

interface Played {
  events: EventBody[];
  exitCode: number | undefined;
  workspace: string;
}

/** Plays steps in a new workspace, as the supervisor would. */
async function play(steps: MockStep[]): Promise<Played> {
  const folder = await newFolder();
  const [workspace, file] = [join(folder, 'work'), join(folder, 'steps.json')];
  mkdirSync(workspace);
  writeFileSync(file, JSON.stringify({ steps }));
  const program = compiled.file('agents/mock-program.js');
  // To a file, as under the supervisor: a pipe would wait for all who hold it.
  const out = join(folder, 'out');
  const { exitCode } = await compiled.run(program, [file], {
    cwd: workspace,
    stdin: 'ignore',
    stdout: { file: out },
    stderr: 'ignore',
  });
  const parser = eventStream();
  const events = readFileSync(out, 'utf8')
    .split('\n')
    .flatMap((line) => parser.line(line));
  expect(parser.end()).toEqual([]); // every line is an event
  return { events, exitCode, workspace };
}

describe('the mock', () => {
  it('plays its steps in order, in the workspace, and says what it does', async () => {
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

  it('says that it did nothing where it has no steps, and completes', async () => {
    const { events, exitCode } = await play([]);
    expect(events).toMatchObject([
      { type: 'message', role: 'assistant', text: expect.stringContaining('did nothing') as string },
    ]);
    expect(exitCode).toBe(0);
  });

  it('ends with the status that a step gives, and plays nothing after it', async () => {
    const { events, exitCode, workspace } = await play([
      { say: 'before' },
      { exit: 7 },
      { write: { path: 'after', content: '' } },
    ]);
    expect(exitCode).toBe(7);
    expect(events).toHaveLength(1);
    expect(existsSync(join(workspace, 'after'))).toBe(false);
  });

  it('says events of which nothing happens, with ids that belong together', async () => {
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

  it('keeps to a size what a command prints, and says so', async () => {
    const { events } = await play([{ run: "head -c 3000000 /dev/zero | tr '\\0' x" }]);
    expect(events[1]).toMatchObject({ type: 'tool_result', exit_code: 0, truncated: true });
    // The mark of the cut comes on top: redaction looks for parts of secrets there.
    const output = events[1]?.type === 'tool_result' ? events[1].output : '';
    expect(output).toBe(`${'x'.repeat(64 * 1024)}…`);
  });

  it('a command that is killed by a signal has no exit code and is an error', async () => {
    const { events } = await play([{ run: 'kill -KILL $$' }]);
    expect(events[1]).toMatchObject({ type: 'tool_result', exit_code: null, is_error: true });
  });

  it('is not held up by what a command leaves in the background', async () => {
    const seconds = uniqueSeconds();
    killWhenFinished(seconds);
    const { events } = await play([{ run: `sleep ${seconds} & echo started` }, { say: 'next' }]);
    expect(events[1]).toMatchObject({ type: 'tool_result', exit_code: 0, output: 'started\n' });
    expect(await allGone(seconds, 0)).toBe(false); // like any agent's: the supervisor ends it
  });

  it('is started with its steps in a private file and needs no permission to spend', () => {
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
