import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseDenoCommand, permissionsOf, shellLine } from '../../src/agent-scripts/deno-command.js';

const SOURCE = '.agents/scripts/a/run.ts';

it.each([
  [`deno run ${SOURCE}`, [], []],
  [`deno run --allow-read ${SOURCE} src/a.c`, ['--allow-read'], ['src/a.c']],
  [`deno run -R=. -W ${SOURCE} --all -- -x`, ['-R=.', '-W'], ['--all', '--', '-x']],
  [`deno run --allow-net=api.example.com:443,[::1] ${SOURCE}`, ['--allow-net=api.example.com:443,[::1]'], []],
  [`deno run "--allow-read=my folder" ${SOURCE} 'two words'`, ['--allow-read=my folder'], ['two words']],
])('%s', (line, flags, args) => {
  expect(parseDenoCommand(line)).toEqual({ flags, program: SOURCE, args });
});

it('keeps placeholders as they are', () => {
  expect(parseDenoCommand(`deno run -R ${SOURCE} <source-file> [dir] [--count <n>] <file>...`)).toEqual({
    flags: ['-R'],
    program: SOURCE,
    args: ['<source-file>', '[dir]', '[--count <n>]', '<file>...'],
  });
});

it.each([
  [`deno run ${SOURCE} | jq .data`, /without pipes/],
  [`deno run ${SOURCE} && echo done`, /without pipes/],
  [`deno run ${SOURCE}; rm -r .`, /without pipes/],
  [`deno run ${SOURCE} $(cat list)`, /without pipes/],
  [`deno run ${SOURCE} > out.json`, /without redirections/],
  [`deno run ${SOURCE} < in.json`, /without redirections/],
  [`node ${SOURCE}`, /begins with `deno run`/],
  [`deno test ${SOURCE}`, /begins with `deno run`/],
  ['deno run --allow-read', /names no program/],
  ['', /expected one plain command/],
])('does not accept %j', (line, message) => {
  expect(parseDenoCommand(line)).toMatch(message);
});

it('takes redirections inside quotes for text', () => {
  expect(parseDenoCommand(`deno run ${SOURCE} 'a > b' "<c"`)).toMatchObject({ args: ['a > b', '<c'] });
});

it('reads permissions from long and short flags, with their values', () => {
  expect(
    Object.fromEntries(permissionsOf(['--allow-read', '-W=a,b', '--allow-net=x:1', '-E', '--quiet', '-q'])),
  ).toEqual({ read: [], write: ['a', 'b'], net: ['x:1'], env: [] });
  expect([...permissionsOf(['-A']).keys()]).toEqual(['all']);
  expect([...permissionsOf(['--allow-all']).keys()]).toEqual(['all']);
});

it('several permissions can share a dash', () => {
  expect(Object.fromEntries(permissionsOf(['-RW', '-NE=x']))).toEqual({
    read: [],
    write: [],
    net: [],
    env: ['x'],
  });
});

it('passes the parts of a command line to the program unchanged', () => {
  const word = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 4 }), (args) => {
      const line = shellLine({ flags: [], program: SOURCE, args });
      const printed = execFileSync('sh', ['-c', `deno() { printf '%s\\0' "$@"; }; ${line}`], {
        encoding: 'utf8',
      });
      expect(printed.split('\0').slice(0, -1)).toEqual(['run', SOURCE, ...args]);
    }),
    { numRuns: 20 },
  );
});

it('gives for any text a command or a message', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 10 }),
    fc.constantFrom('deno run ', '<', '>', '[', ']', '@0@', '"', "'", '$(', '`', ' ', '...', SOURCE),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const parsed = parseDenoCommand(pieces.join(''));
      if (typeof parsed === 'string') expect(parsed).not.toBe('');
      else expect(parsed.program).not.toMatch(/^-/);
    }),
  );
});
