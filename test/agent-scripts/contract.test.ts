import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { env, privateCopy, type PrivateCopy } from './private-copy.js';
import { readmeOf, scriptNames } from './readme.js';

const TRIAL = 'deno run --allow-read=.agents/config.json .agents/scripts/trial/run.ts';

/** A script with a function of this body; `values` are its arguments. */
async function trial(body: string, specification = '{}'): Promise<PrivateCopy> {
  const copy = await privateCopy();
  await copy.write(
    '.agents/scripts/trial/run.ts',
    `import { fail, main, settings } from '../../lib/script.ts';
     const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
     main(${specification}, async (values: any) => { ${body} });`,
  );
  return copy;
}

describe('the answer of a script is always one JSON document', () => {
  const message = (text: string): unknown => expect.stringContaining(text);

  test.each([
    ['returns data', `return { text: 'a\\nb', list: [1] }`, { data: { text: 'a\nb', list: [1] } }],
    ['returns nothing', ``, { data: null }],
    ['leaves a timer behind', `setInterval(() => {}, 1000); return 1`, { data: 1 }],
    ['prints', `console.log('noise'); console.table([1]); console.clear(); console.group('x'); return 1`, { data: 1 }],
    ['fails', `fail('NO_LUCK', 'not today')`, { code: 'NO_LUCK', error: 'not today' }],
    ['throws', `throw new TypeError('oops')`, { code: 'INTERNAL_ERROR', error: 'oops' }],
    ['throws something that is not an error', `throw Object.create(null)`, { code: 'INTERNAL_ERROR' }],
    ['throws undefined', `throw undefined`, { code: 'INTERNAL_ERROR', error: 'undefined' }],
    [
      'throws later',
      `setTimeout(() => { throw new Error('late') }, 5); await wait(5000)`,
      { code: 'INTERNAL_ERROR', error: 'late' },
    ],
    [
      'forgets a promise',
      `Promise.reject(new Error('lost')); await wait(5000)`,
      { code: 'INTERNAL_ERROR', error: 'lost' },
    ],
    ['fails in a forgotten promise', `(async () => fail('LOST', 'x'))(); await wait(5000)`, { code: 'LOST' }],
    [
      'waits for a promise that never settles',
      `await new Promise(() => {})`,
      { code: 'INTERNAL_ERROR', error: message('without an answer') },
    ],
    ['calls Deno.exit', `Deno.exit(0)`, { code: 'INTERNAL_ERROR', error: message('Deno.exit') }],
    ['returns a value that JSON cannot hold', `return 1n`, { code: 'INTERNAL_ERROR', error: message('BigInt') }],
    [
      'returns a circle',
      `const all: any[] = []; all.push(all); return all`,
      { code: 'INTERNAL_ERROR', error: message('circular') },
    ],
    [
      'exceeds the call stack',
      `const dig = (): number => dig() + 1; return dig()`,
      { code: 'INTERNAL_ERROR', error: message('call stack') },
    ],
    [
      'lacks a permission',
      `return Deno.readTextFileSync('/etc/hostname')`,
      { code: 'PERMISSION_DENIED', error: message('--allow-read') },
    ],
  ])('if it %s', async (_, body, expected) => {
    const { command } = await trial(body);
    expect((await command(TRIAL)).document).toMatchObject(expected);
  });

  test('if it is large', async () => {
    const { command } = await trial(`return 'é'.repeat(10_000_000)`);
    expect((await command(TRIAL)).document.data).toHaveLength(10_000_000);
  });

  test('if nobody reads it to its end', async () => {
    const { folder } = await trial(`return 'x'.repeat(10_000_000)`);
    const { stdout, stderr } = await execa('sh', ['-c', `(${TRIAL}; echo "exit $?" >&2) | head -c 9`], {
      cwd: folder,
      env,
    });
    expect([stdout, stderr]).toEqual(['{"success', 'exit 0']);
  });

  test('if it is large and goes through a pipe that does not block', async () => {
    const { folder } = await trial(`return 'x'.repeat(10_000_000)`);
    const pipe = join(folder, 'pipe');
    await execa('mkfifo', [pipe]);
    const written = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    // Passed as descriptor 3, because the stdout of a child is made blocking.
    const script = spawn('sh', ['-c', `${TRIAL} >&3`], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit', written.fd],
    });
    const ended = once(script, 'exit');
    const read = await open(pipe, 'r');
    await written.close();
    const answer = JSON.parse(await read.readFile('utf8')) as { data: string };
    await read.close();
    expect([answer.data.length, (await ended)[0]]).toEqual([10_000_000, 0]);
  });

  test('and only an unexpected error leaves its stack on stderr', async () => {
    const { command } = await trial(`if (values.x) fail('X', 'x'); throw new Error('x')`, `{ '[x]': 'string' }`);
    expect((await command(TRIAL)).stderr).toMatch(/Error: x\n +at/);
    expect((await command(TRIAL, ['x'])).stderr).toBe('');
  });
});

describe('the arguments of a script', () => {
  const specification = `{ '[dir]': 'string', '<number>': 'string', '--count': 'number', '--text': 'string', '--all': 'boolean' }`;
  const answerTo = async (words: string[]): Promise<unknown> =>
    (await (await trial('return values', specification)).command(TRIAL, words)).document;

  test.each([
    [['7'], { number: '7' }],
    [['a', '7'], { dir: 'a', number: '7' }],
    [['--count', '1.5', '7'], { number: '7', count: 1.5 }],
    [['7', '--count=-2', '--all'], { number: '7', count: -2, all: true }],
    [['7', '--text=a=b'], { number: '7', text: 'a=b' }],
    [['7', '--text=--all'], { number: '7', text: '--all' }],
    [['--', '--help'], { number: '--help' }],
    [['--all', '--', '-x', '--count'], { dir: '-x', number: '--count', all: true }],
    [['$(echo x); "\'\n\\'], { number: '$(echo x); "\'\n\\' }],
    [['__proto__'], { number: '__proto__' }],
    [['é'.normalize('NFD'), '\u{1F600}'], { dir: 'é'.normalize('NFD'), number: '\u{1F600}' }],
  ])('%j are read as %j', async (words, data) => {
    expect(await answerTo(words)).toEqual({ success: true, data });
  });

  test.each([
    [[], 'MISSING_ARGUMENT', '<number>'],
    [['--all'], 'MISSING_ARGUMENT', '<number>'],
    [['a', 'b', 'c'], 'INVALID_ARGUMENT', '"c"'],
    [['7', '--nope'], 'INVALID_ARGUMENT', '--nope'],
    [['7', '--__proto__=1'], 'INVALID_ARGUMENT', '--__proto__'],
    [['7', '--constructor'], 'INVALID_ARGUMENT', '--constructor'],
    [['7', '-x'], 'INVALID_ARGUMENT', '-x'],
    [['7', '--text'], 'INVALID_ARGUMENT', '--text'],
    [['7', '--text='], 'INVALID_ARGUMENT', '--text'],
    [[''], 'INVALID_ARGUMENT', '<number>'],
    [['7', '--all=no'], 'INVALID_ARGUMENT', '--all'],
    [['7', '--count', 'many'], 'INVALID_ARGUMENT', 'many'],
    [['7', '--count', '1e999'], 'INVALID_ARGUMENT', '1e999'],
    [['7', '--count', ' '], 'INVALID_ARGUMENT', '--count'],
  ])('%j are refused with %s', async (words, code, named) => {
    const error = expect.stringContaining(named) as string;
    expect(await answerTo(words)).toEqual({ success: false, error, code });
  });

  test.each(scriptNames)('of %s can be hostile', async (name) => {
    const { script } = await privateCopy(name);
    for (const words of [
      ['\u0001', '../../etc/passwd'],
      ['/dev/null'],
      ['--', '--help'],
      ['%00%2e'],
      ['x'.repeat(100_000)],
    ]) {
      const { document } = await script(name, ...words);
      expect([...readmeOf(name).codes, 'PERMISSION_DENIED']).toContain(document.code);
    }
  });
});

describe('settings', () => {
  const values = async (config: string | null): Promise<unknown> => {
    const copy = await trial(`return settings('trial', { file: 'string', count: 'number' })`);
    if (config !== null) await copy.write('.agents/config.json', config);
    return (await copy.command(TRIAL)).document;
  };

  test.each([
    [null, {}],
    ['{}', {}],
    ['{"other": {"file": 1}}', {}],
    ['{"trial": {"file": "x", "count": 2}}', { file: 'x', count: 2 }],
  ])('%s are read as %j', async (config, data) => {
    expect(await values(config)).toEqual({ success: true, data });
  });

  test.each([
    '',
    '{',
    '[]',
    'null',
    '{"trial": 1}',
    '{"trial": []}',
    '{"trial": {"file": 1}}',
    '{"trial": {"fil": "x"}}',
    '{"trial": {"toString": "x"}}',
  ])('%j is an error', async (config) => {
    expect(await values(config)).toMatchObject({ code: 'INVALID_CONFIG' });
  });

  test('give the file that check-coverage reads', async () => {
    const copy = await privateCopy();
    await copy.write('.agents/config.json', '{"check-coverage": {"file": "coverage/other.info"}}');
    await copy.write('coverage/other.info', 'SF:a.c\nDA:1,1\n');
    expect((await copy.script('check-coverage', 'a.c')).document).toMatchObject({ data: { file: 'a.c' } });
    expect((await copy.script('check-coverage', 'a.c', '--file', 'coverage/none.info')).document.code).toBe(
      'COVERAGE_NOT_FOUND',
    );
  });
});
