import { describe, expect, test } from 'vitest';
import { type ToolOutput, type ToolProgram, performCall, readCall } from '../../../src/agents/loop/tools.js';

const ended = (stdout: string, more: Partial<ToolOutput> = {}): ToolOutput => ({
  exitCode: 0,
  stdout,
  stderr: '',
  stopped: false,
  ...more,
});

/** Performs a call whose programs end as given; returns its result and the programs. */
async function perform(name: string, input: Record<string, string | number>, ...ends: ToolOutput[]) {
  const read = readCall(name, input);
  if (!read.ok) throw new Error(read.message);
  const programs: ToolProgram[] = [];
  const result = await performCall(read.call, (program) => {
    programs.push(program);
    return Promise.resolve(ends[programs.length - 1] ?? ended(''));
  });
  return { result, programs };
}

describe('readCall', () => {
  test.each([
    ['a tool that does not exist', 'teleport', {}, 'there is no tool teleport'],
    ['a name of every object', 'constructor', {}, 'there is no tool constructor'],
    ['a missing argument', 'read', { pat: 'x' }, 'path: Invalid input'],
    ['a wrong type', 'bash', { command: 1 }, 'command: Invalid input'],
    ['no object', 'bash', 'ls', 'arguments: Invalid input'],
    ['a time that is too long', 'bash', { command: 'ls', timeout_secs: 10_000 }, 'timeout_secs: Too big'],
  ])('says to the model what is wrong: %s', (_, name, input, message) => {
    expect(readCall(name, input)).toEqual({ ok: false, message: expect.stringContaining(message) as string });
  });
});

describe('bash', () => {
  test('returns the output with the exit status', async () => {
    const { result } = await perform('bash', { command: 'x' }, ended('no such file\n', { exitCode: 2 }));
    expect(result).toEqual({ output: 'no such file\n(exit status 2)', exitCode: 2, isError: true, truncated: false });
  });

  test('says that a command printed nothing, or was ended', async () => {
    expect((await perform('bash', { command: 'x' }, ended(''))).result.output).toBe('(no output)');
    const { result, programs } = await perform(
      'bash',
      { command: 'x', timeout_secs: 5 },
      ended('so far\n', { exitCode: 137, stopped: true }),
    );
    expect(result).toMatchObject({ output: 'so far\n(ended after 5 s)', isError: true });
    expect(programs[0]?.timeoutSecs).toBe(5);
  });

  test('keeps the beginning and the end of a long output', async () => {
    const { result } = await perform('bash', { command: 'x' }, ended(`begin${'x'.repeat(50_000)}end`));
    expect(result.truncated).toBe(true);
    expect(result.output).toMatch(/^beginx+\n\(20008 characters left out\)\nx+end$/);
  });
});

describe('files', () => {
  test('read returns the lines that are asked for, and how many follow', async () => {
    const { result } = await perform('read', { path: 'a', first_line: 2, lines: 2 }, ended('1\n2\n3\n4\n5'));
    expect(result.output).toBe('2\n3\n(2 more lines)');
  });

  test('edit writes the file with the text replaced, whatever characters it has', async () => {
    const { result, programs } = await perform(
      'edit',
      { path: 'a', old_text: 'two', new_text: "$& $1 $'" },
      ended('one two three'),
    );
    expect(result).toMatchObject({ output: 'changed a', isError: false });
    expect(programs[1]?.stdin).toBe("one $& $1 $' three");
  });

  test.each([0, 2])('edit changes nothing if the text occurs %d times', async (count) => {
    const { result, programs } = await perform(
      'edit',
      { path: 'a', old_text: 'x', new_text: 'y' },
      ended('x'.repeat(count)),
    );
    expect(result).toMatchObject({ isError: true, output: expect.stringContaining(`occurs ${count} times`) as string });
    expect(programs).toHaveLength(1);
  });

  test.each(['read', 'edit'])('%s refuses a file that is too large', async (name) => {
    const large = ended('(9 bytes, which are too many to be read)', { tooLarge: true });
    const input: Record<string, string> = name === 'read' ? {} : { old_text: 'bytes', new_text: 'y' };
    const { result, programs } = await perform(name, { path: 'a', ...input }, large);
    expect(result).toMatchObject({
      isError: true,
      output: expect.stringContaining('cannot read a: (9 bytes') as string,
    });
    expect(programs).toHaveLength(1);
  });

  test('a path that begins with a dash is no option', async () => {
    const { programs } = await perform('write', { path: '-rf', content: '' });
    expect(programs[0]?.argv.at(-1)).toBe('./-rf');
  });

  test('a program that fails says why', async () => {
    const { result } = await perform('read', { path: 'a' }, ended('', { exitCode: 1, stderr: 'No such file\n' }));
    expect(result).toMatchObject({ isError: true, output: 'cannot read a: No such file' });
  });
});
